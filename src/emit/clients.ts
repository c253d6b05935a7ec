/** What stands in an MCP client's files, rendered from what the caller knows of the client and of the installation. */
import type { Plan, ToolPlan } from "../abi/plan.js";
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
  /** Environment variables that the client must be told to pass on, as its file says them. */
  env: { readonly [name: string]: string };
  /** Whether the program has to be fetched first. */
  isFetched: boolean;
}

/** A gateway that runs. */
export interface GatewayView {
  url: string;
  /** The variable that holds the token in the client's environment. */
  tokenEnv: string;
}

/** What the texts for one client depend on. */
export interface ClientWords {
  /** What a model sees as a tool's name: `SERVER` and `TOOL` stand for both. */
  toolName: string;
  /** The same for the client's lists of permissions. */
  allowName: string;
  /** Whether a client writes `_` for whatever is no letter, digit, `_` or `-` in a name. */
  isPlain: boolean;
  /** How the client's file refers to a variable, `NAME`. */
  variable: string;
}

/** Tools that are few enough to be shown to a model at once, where a client would otherwise make it look for them. */
const MOST_AT_ONCE = 16;

/** What a slow machine needs to start the proxy, and what fetching it first may take. */
const START_MS = 20_000;
const FETCH_MS = 60_000;

/** How much longer than the longest call a client waits, so that a call ends by itself. */
const MARGIN_MS = 10_000;

/** How long a client has to wait for an answer. */
export interface Patience {
  /** From the start to the list of tools. */
  startMs: number;
  /** For the longest call, which ends by itself before that. */
  callMs: number;
}

/** How long a client has to wait at most, for this plan and this way to reach it. */
export function patienceFor(plan: Plan, reach: ClientView["reach"]): Patience {
  const calls = listedIn(plan).map((tool) => tool.timeoutMs);
  const callMs = Math.max(plan.limits.timeoutMs, ...calls) + MARGIN_MS;
  // A gateway runs already.
  if ("url" in reach) return { startMs: START_MS, callMs };
  // Servers that start with the proxy take their share of the machine from the very handshake.
  const starts = plan.servers.map((server) => server.initializeTimeoutMs + server.warmupTimeoutMs);
  const besides = plan.mcp.warmup ? Math.max(0, ...starts) : 0;
  return { startMs: (reach.isFetched ? FETCH_MS : START_MS) + besides, callMs };
}

function listedIn({ tools, mcp }: Plan): ToolPlan[] {
  return tools.filter(({ name }) => mcp.listed.includes(name));
}

/** The text for one of a client's files. */
export function clientText(
  template: string,
  view: ClientView,
  words: ClientWords,
  plan: Plan,
  templates: Templates,
): string {
  const listed = listedIn(plan);
  const reading = listed.filter(({ effect }) => effect === "read");
  const writing = listed.filter(({ effect }) => effect !== "read");
  const plain = (name: string) => (words.isPlain ? name.replaceAll(/[^A-Za-z0-9_-]/g, "_") : name);
  const nameOf = ({ name }: ToolPlan) => modelName(words.allowName, plain(view.name), plain(name));
  const { startMs, callMs } = patienceFor(plan, view.reach);
  return render(templates, `clients/${template}`, {
    name: view.name,
    ...reachView(view.reach, words),
    ...timesOf("startup", startMs),
    ...timesOf("tool", callMs),
    // For a client that has one number for both.
    ...timesOf("any", Math.max(startMs, callMs)),
    isReadOnly: writing.length === 0,
    isLight: listed.length <= MOST_AT_ONCE,
    tools: listed.map(({ name }) => name),
    writingTools: writing.map(({ name }) => ({ server: view.name, tool: name })),
    readingNames: reading.map(nameOf),
    asking: Object.fromEntries(writing.map((tool) => [nameOf(tool), "ask"])),
  });
}

/** A tool's name as a client tells it to its model. */
export function modelName(form: string, server: string, tool: string): string {
  return form.replace("SERVER", () => server).replace("TOOL", () => tool);
}

function reachView(reach: StartedView | GatewayView, { variable }: ClientWords): object {
  const nothing = { command: "", args: [], words: [], cwd: "", env: {}, envVars: [], hasEnv: false };
  if ("url" in reach) {
    const bearer = `Bearer ${variable.replace("NAME", () => reach.tokenEnv)}`;
    return { ...nothing, isHttp: true, url: reach.url, tokenEnv: reach.tokenEnv, bearer };
  }
  const { command, args, cwd, env } = reach;
  const envVars = Object.keys(env);
  return {
    ...{ isHttp: false, url: "", tokenEnv: "", bearer: "" },
    ...{ command, args, words: [command, ...args], cwd, env, envVars, hasEnv: envVars.length > 0 },
  };
}

/** A time in both units, in whole seconds. */
function timesOf(what: string, ms: number): { [name: string]: number } {
  const seconds = Math.ceil(ms / 1000);
  return { [`${what}TimeoutSec`]: seconds, [`${what}TimeoutMs`]: seconds * 1000 };
}
