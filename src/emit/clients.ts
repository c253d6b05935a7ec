/** Config stanzas for MCP clients, rendered from what the caller knows of the installation. */
import type { Plan } from "../abi/plan.js";
import { tomlKey } from "../base/toml-text.js";
import { render, type Templates } from "./render.js";

/** How a client reaches the proxy for one plan: by starting it, or at the gateway's address. */
export interface ClientView {
  /** The client's name for this server. */
  name: string;
  reach: StartedView | GatewayView;
}

/** A proxy that the client starts. */
export interface StartedView {
  /** The program and its arguments, as an absolute command line. */
  command: string;
  args: readonly string[];
  /** Absolute folder in which the proxy is started. */
  cwd: string;
  /** Environment variables that the client must pass on; its own few are there anyway. */
  envVars: readonly string[];
}

/** A gateway that runs. */
export interface GatewayView {
  url: string;
  /** The variable that holds the token in the client's environment. */
  tokenEnv: string;
}

/** Variables that Codex passes to every server without being told. */
const codexEnv = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** The stanza for `~/.codex/config.toml`, in keys that its strict mode takes. */
export function codexStanza(view: ClientView, plan: Plan, templates: Templates): string {
  const server = tomlKey(view.name);
  const writing = plan.tools.filter((tool) => tool.effect !== "read" && plan.mcp.listed.includes(tool.name));
  return render(templates, "clients/codex.toml", {
    key: server,
    ...reachView(view.reach),
    startupTimeoutSec: 20,
    // A call must end by itself before the client gives up on it, with a start of the server before it.
    toolTimeoutSec: Math.ceil(longestCallMs(plan) / 1000) + 10,
    approvalMode: writing.length > 0 ? "writes" : "auto",
    promptTools: writing.map((tool) => ({ server, tool: tomlKey(tool.name) })),
  });
}

function reachView(reach: StartedView | GatewayView): object {
  if ("url" in reach) return { isHttp: true, ...reach };
  const envVars = reach.envVars.filter((name) => !codexEnv.includes(name));
  return { isHttp: false, ...reach, envVars, hasEnvVars: envVars.length > 0 };
}

function longestCallMs(plan: Plan): number {
  return Math.max(plan.limits.timeoutMs, ...plan.tools.map((tool) => tool.timeoutMs));
}
