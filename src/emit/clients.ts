/** Renders the entries for the config files of MCP clients. */
import type { Plan, ToolPlan } from "../abi/plan.js";
import { render, type Templates } from "./render.js";
import { listedTools } from "./tools-page.js";

/** How a client connects to the proxy: it starts a process, or it uses the URL of a gateway. */
export interface ClientView {
  /** The name of this MCP server in the client. */
  name: string;
  connection: StartedView | GatewayView;
}

export interface StartedView {
  /** The program and its arguments. */
  command: string;
  args: readonly string[];
  /** Absolute working folder of the proxy; null: where the client starts it. */
  cwd: string | null;
  /** Environment variables that the client must pass on, in the syntax of its file. */
  env: { readonly [name: string]: string };
  /** Whether the program must be downloaded first (npx). */
  isFetched: boolean;
}

export interface GatewayView {
  url: string;
  /** The variable in the client's environment that holds the token. */
  tokenEnv: string;
}

/** The syntax of one client. */
export interface ClientSyntax {
  /** How the model sees a tool's name; `SERVER` and `TOOL` are placeholders. */
  toolName: string;
  /** The same in the client's permission lists. */
  allowName: string;
  /** Whether the client replaces characters other than letters, digits, `_` and `-` by `_`. */
  isPlain: boolean;
  /** How the client's file refers to the variable `NAME`. */
  variable: string;
}

/** Up to this many tools, clients with deferred tool loading are told to show all of them at once. */
const MAX_TOOLS_AT_ONCE = 16;

/** Time for a slow machine to start the proxy, and to download it first. */
const START_MS = 20_000;
const FETCH_MS = 60_000;

/** A client waits this much longer than the longest call, so that the call's own timeout comes first. */
const MARGIN_MS = 10_000;

/** The timeouts that a client needs: until it has the list of tools, and for one call, longer than any of our own. */
export function timeoutsFor(
  plan: Plan,
  connection: ClientView["connection"],
): { startMs: number; callMs: number } {
  const calls = listedTools(plan).map((tool) => tool.timeoutMs);
  const callMs = Math.max(plan.limits.timeoutMs, ...calls) + MARGIN_MS;
  // A gateway is already running.
  if ("url" in connection) return { startMs: START_MS, callMs };
  // With `mcp.warmup`, starting servers slow the handshake down.
  const starts = plan.servers.map((server) => server.initializeTimeoutMs + server.warmupTimeoutMs);
  const warmup = plan.mcp.warmup ? Math.max(0, ...starts) : 0;
  return { startMs: (connection.isFetched ? FETCH_MS : START_MS) + warmup, callMs };
}

/** The text for one of a client's files. `tools` are those that its permissions name. */
export function clientText(
  template: string,
  view: ClientView,
  syntax: ClientSyntax,
  plan: Plan,
  templates: Templates,
  tools: readonly ToolPlan[] = listedTools(plan),
): string {
  const reading = tools.filter(({ effect }) => effect === "read");
  const writing = tools.filter(({ effect }) => effect !== "read");
  const plain = (name: string) => (syntax.isPlain ? name.replaceAll(/[^A-Za-z0-9_-]/g, "_") : name);
  const nameOf = ({ name }: ToolPlan) => modelName(syntax.allowName, plain(view.name), plain(name));
  const { startMs, callMs } = timeoutsFor(plan, view.connection);
  return render(templates, `clients/${template}`, {
    name: view.name,
    ...connectionView(view.connection, syntax),
    ...timesOf("startup", startMs),
    ...timesOf("tool", callMs),
    // For clients with one timeout for both.
    ...timesOf("any", Math.max(startMs, callMs)),
    isReadOnly: writing.length === 0,
    isLight: listedTools(plan).length <= MAX_TOOLS_AT_ONCE,
    readingNames: reading.map(nameOf),
    asking: Object.fromEntries(writing.map((tool) => [nameOf(tool), "ask"])),
  });
}

/** A tool's name as the client shows it to its model. */
export function modelName(form: string, server: string, tool: string): string {
  return form.replace("SERVER", () => server).replace("TOOL", () => tool);
}

function connectionView(connection: StartedView | GatewayView, { variable }: ClientSyntax): object {
  const nothing = { command: "", args: [], words: [], cwd: null, env: {}, envVars: [], hasEnv: false };
  if ("url" in connection) {
    const bearer = `Bearer ${variable.replace("NAME", () => connection.tokenEnv)}`;
    return { ...nothing, isHttp: true, url: connection.url, tokenEnv: connection.tokenEnv, bearer };
  }
  const { command, args, cwd, env } = connection;
  const envVars = Object.keys(env);
  return {
    isHttp: false,
    url: "",
    tokenEnv: "",
    bearer: "",
    command,
    args,
    words: [command, ...args],
    cwd,
    env,
    envVars,
    hasEnv: envVars.length > 0,
  };
}

/** A timeout in seconds and in milliseconds, rounded up to seconds. */
function timesOf(what: string, ms: number): { [name: string]: number } {
  const seconds = Math.ceil(ms / 1000);
  return { [`${what}TimeoutSec`]: seconds, [`${what}TimeoutMs`]: seconds * 1000 };
}
