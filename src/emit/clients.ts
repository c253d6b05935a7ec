/** Config stanzas for MCP clients, rendered from what the caller knows of the installation. */
import type { Plan } from "../abi/plan.js";
import { tomlKey } from "../base/toml-text.js";
import { render, type Templates } from "./render.js";

/** How a client starts the proxy for one plan. */
export interface ClientView {
  /** The client's name for this server. */
  name: string;
  /** The program and its arguments, as an absolute command line. */
  command: string;
  args: readonly string[];
  /** Absolute folder in which the proxy is started. */
  cwd: string;
  /** Environment variables that the client must pass on; its own few are there anyway. */
  envVars: readonly string[];
}

/** Variables that Codex passes to every server without being told. */
const codexEnv = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** The stanza for `~/.codex/config.toml`, in keys that its strict mode takes. */
export function codexStanza(view: ClientView, plan: Plan, templates: Templates): string {
  const server = tomlKey(view.name);
  const envVars = view.envVars.filter((name) => !codexEnv.includes(name));
  const writing = plan.tools.filter((tool) => tool.effect !== "read" && plan.mcp.listed.includes(tool.name));
  return render(templates, "clients/codex.toml", {
    key: server,
    command: view.command,
    args: view.args,
    cwd: view.cwd,
    hasEnvVars: envVars.length > 0,
    envVars,
    startupTimeoutSec: 20,
    // A call must end by itself before the client gives up on it, with a start of the server before it.
    toolTimeoutSec: Math.ceil(longestCallMs(plan) / 1000) + 10,
    approvalMode: writing.length > 0 ? "writes" : "auto",
    promptTools: writing.map((tool) => ({ server, tool: tomlKey(tool.name) })),
  });
}

function longestCallMs(plan: Plan): number {
  return Math.max(plan.limits.timeoutMs, ...plan.tools.map((tool) => tool.timeoutMs));
}
