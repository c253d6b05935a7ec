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
  /** Whether a client writes `_` for whatever is no letter, digit, `_` or `-` in a name. */
  isPlain: boolean;
  /** How the client's file refers to a variable, `NAME`. */
  variable: string;
}

/** Tools that are few enough to be shown to a model at once, where a client would otherwise make it look for them. */
const MOST_AT_ONCE = 16;
const STARTUP_SEC = 20;
const FETCH_SEC = 60;

/** The text for one of a client's files. */
export function clientText(
  template: string,
  view: ClientView,
  words: ClientWords,
  plan: Plan,
  templates: Templates,
): string {
  const listed = plan.tools.filter(({ name }) => plan.mcp.listed.includes(name));
  const reading = listed.filter(({ effect }) => effect === "read");
  const writing = listed.filter(({ effect }) => effect !== "read");
  const plain = (name: string) => (words.isPlain ? name.replaceAll(/[^A-Za-z0-9_-]/g, "_") : name);
  const nameOf = ({ name }: ToolPlan) => modelName(words.toolName, plain(view.name), plain(name));
  const startupTimeoutSec = "url" in view.reach || !view.reach.isFetched ? STARTUP_SEC : FETCH_SEC;
  // A call must end by itself before the client gives up on it, with a start of the server before it.
  const toolTimeoutSec = Math.ceil(longestCallMs(plan) / 1000) + 10;
  return render(templates, `clients/${template}`, {
    name: view.name,
    ...reachView(view.reach, words),
    ...{ startupTimeoutSec, startupTimeoutMs: startupTimeoutSec * 1000 },
    ...{ toolTimeoutSec, toolTimeoutMs: toolTimeoutSec * 1000 },
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

function longestCallMs(plan: Plan): number {
  return Math.max(plan.limits.timeoutMs, ...plan.tools.map((tool) => tool.timeoutMs));
}
