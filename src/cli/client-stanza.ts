/** What a client is told about this proxy, this config and this workspace, from the command line. */
import { sep } from "node:path";
import type { HttpPlan, Plan, ToolPlan } from "../abi/plan.js";
import { uniqueBy } from "../base/order.js";
import type { ClientFacts, ClientFileFacts } from "../config/catalogue/clients.js";
import type { Stanza } from "../config/edit/stanza.js";
import {
  type ClientView,
  type ClientWords,
  clientText,
  type GatewayView,
  modelName,
  patienceFor,
  type StartedView,
} from "../emit/clients.js";
import { readTemplates } from "../emit/templates.js";
import { defaultEnv } from "../plan/defaults.js";
import { type Input, isOn, type Surroundings, textFlag, UsageError } from "./command.js";
import { type Compiled, workspaceOf } from "./compile.js";
import { gatewayUrl, reachOf } from "./files/client-files.js";
import { executable, shippedTemplates, version } from "./shipped.js";

/** How a client is told, and what could not be said. */
export interface Told {
  view: ClientView;
  remarks: string[];
  /** The variables that the client's file names for a proxy that it starts. */
  env: readonly string[];
  /** What entries for this very project lead to: its config or workspace, and its gateway. */
  project: readonly string[];
}

/** The view of a command line. Throws a UsageError for what the client cannot do. */
export function viewOf(
  client: ClientFacts,
  input: Input,
  io: Surroundings,
  planned: Omit<Compiled, "bundle">,
): Told {
  const { plan } = planned;
  const name = textFlag(input, "name") ?? plan.mcp.name;
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name))
    throw new UsageError("--name takes 1 to 40 letters, digits, `_` or `-`", "client");
  const remarks = longNames(client, name, plan);
  const env = envOf(client, plan, io);
  const serve = serveArguments(input, io, planned);
  const about = {
    env: Object.keys(env.told),
    project: [reachOf({ args: serve }), gatewayUrl(plan.http)].filter((reach) => reach !== undefined),
  };
  if (isOn(input, "http")) {
    if (client.no_http !== undefined) throw new UsageError(`${client.title}: ${client.no_http}`, "client");
    const reach = gatewayOf(plan.http);
    remarks.push(
      ...tokenRemarks(client, plan.http, io),
      ...handshakeRemarks(client, plan.http),
      ...waitRemarks(client, plan, reach),
    );
    return { view: { name, reach }, remarks, ...about };
  }
  if (env.secret.length > 0)
    remarks.push(
      `${client.title} must be told ${env.secret.join(", ")} by hand: values that may be secrets are not written`,
    );
  const started: StartedView = {
    ...commandOf(input, serve),
    cwd: planned.loaded.base,
    env: env.told,
  };
  remarks.push(...replacedWords(client, [started.command, ...started.args, started.cwd]));
  remarks.push(...waitRemarks(client, plan, started));
  return { view: { name, reach: started }, remarks, ...about };
}

/** What the texts for a client depend on. */
export function wordsOf({ tool_name: toolName = "TOOL", ...facts }: ClientFacts): ClientWords {
  const { allow_name: allowName = toolName, plain_names: isPlain = false, variable = "NAME" } = facts;
  return { toolName, allowName, isPlain, variable };
}

/**
 * The stanza for one of a client's files: of the tools, those of the plan are in it; all that are known, and all that earlier
 * stanzas had, may have been.
 */
export function stanzaOf(
  client: ClientFacts,
  { template, entry, spread = [], joins }: ClientFileFacts,
  { view, env }: Pick<Told, "view" | "env">,
  plan: Plan,
  { known, past }: { known: readonly ToolPlan[]; past: readonly string[] },
): Stanza {
  const templates = readTemplates(shippedTemplates);
  const words = wordsOf(client);
  const text = (reach: ClientView["reach"], of: Plan) =>
    clientText(template, { ...view, reach }, words, of, templates);
  const tools = uniqueBy([...plan.tools, ...known], ({ name }) => name);
  const whole = { ...plan, tools, mcp: { ...plan.mcp, listed: tools.map(({ name }) => name) } };
  const reading = { ...whole, tools: tools.filter(({ effect }) => effect === "read") };
  const possible = reachesOf(env).flatMap((reach) => [whole, reading].map((of) => text(reach, of)));
  return {
    language: template.endsWith(".toml") ? "toml" : "json",
    text: text(view.reach, plan),
    entry: entry && [...entry, view.name],
    forms: [...possible, ...past],
    spread,
    joins,
  };
}

function reachesOf(env: readonly string[]): ClientView["reach"][] {
  const told = Object.fromEntries((env.length > 0 ? env : ["NAME"]).map((name) => [name, ""]));
  return [
    { command: "node", args: [], cwd: "/", env: told, isFetched: false },
    { url: "http://127.0.0.1", tokenEnv: "NAME" },
  ];
}

/** The command line that starts the proxy from anywhere: this very installation, or the package of that version. */
function commandOf(input: Input, serve: string[]): Pick<StartedView, "command" | "args" | "isFetched"> {
  // What npx has put into its cache may be gone tomorrow.
  const isPassing = executable.split(sep).includes("_npx");
  if (!isOn(input, "npx") && (isOn(input, "absolute") || !isPassing))
    return { command: process.execPath, args: [executable, "serve", ...serve], isFetched: false };
  const words = ["npx", "-y", `lsp-proxy@${version()}`, "serve", ...serve];
  // On Windows npx is a script, and only a shell runs those.
  const [command = "", ...args] = process.platform === "win32" ? ["cmd", "/c", ...words] : words;
  return { command, args, isFetched: true };
}

function gatewayOf(http: HttpPlan): GatewayView {
  if (http.port === 0)
    throw new UsageError("give `http.port` a number: 0 is another port with every start", "client");
  return { url: gatewayUrl(http), tokenEnv: http.tokenEnv };
}

/** A client sends what stands in the variable, as it is: that must be one token. */
function tokenRemarks({ title }: ClientFacts, { tokenEnv, tokenFile }: HttpPlan, io: Surroundings): string[] {
  const needs = `${title} sends ${tokenEnv} as its token`;
  if (tokenFile !== null) return [`${needs}: put one of those in ${tokenFile} there, where ${title} runs`];
  const isOne = !/\s/.test((io.env[tokenEnv] ?? "").trim());
  return isOne ? [] : [`${needs}, and it holds several: where ${title} runs it must hold one`];
}

/** A strict gateway refuses a handshake that asks for another revision than the newest, unless it was told of it. */
function handshakeRemarks(
  { title, handshake }: ClientFacts,
  { strict, olderHandshakes }: HttpPlan,
): string[] {
  if (!strict || handshake === undefined || olderHandshakes.includes(handshake)) return [];
  const key = `older_handshakes = [${JSON.stringify(handshake)}]`;
  return [`${title} asks for the revision ${handshake}, which is refused until \`[http]\` says \`${key}\``];
}

/** The words after `serve` that mean the same from any directory. */
function serveArguments(input: Input, io: Surroundings, { loaded }: Pick<Compiled, "loaded">): string[] {
  const context = textFlag(input, "context");
  const isNamed = textFlag(input, "workspace") !== undefined;
  // A file that was named, by flag or environment, is named again; a discovered one is discovered again, and trusted or not.
  const source =
    loaded.main.kind === "named" && loaded.main.file !== null
      ? ["--config", loaded.main.file, ...(isNamed ? ["--workspace", workspaceOf(input, io)] : [])]
      : ["--workspace", workspaceOf(input, io)];
  return [
    ...source,
    ...(context === undefined ? [] : ["--context", context]),
    ...(isOn(input, "read-only") ? ["--read-only"] : []),
    ...(isOn(input, "trust-workspace") ? ["--trust-workspace"] : []),
  ];
}

/** Where the proxy itself finds a person's config and what is trusted; its servers may get less. */
const proxyEnv = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/** The variables that the proxy and its servers need and the client would not pass on, as its file says them. */
function envOf({ environment, variable }: ClientFacts, plan: Plan, io: Surroundings) {
  const told: { [name: string]: string } = {};
  const secret: string[] = [];
  if (environment === undefined) return { told, secret };
  const needed = uniqueBy([...plan.allow.env, ...proxyEnv], (name) => name).filter(
    (name) => io.env[name] && !environment.inherits.includes(name),
  );
  for (const name of needed) {
    if (environment.told !== "values") told[name] = (variable ?? "NAME").replace("NAME", () => name);
    else if (defaultEnv.includes(name)) told[name] = io.env[name] ?? "";
    else secret.push(name);
  }
  return { told, secret };
}

/** Words that a client would not take as they are, because they look like one of its variables. */
function replacedWords({ title, variable }: ClientFacts, words: readonly string[]): string[] {
  const [sign = ""] = variable?.split("NAME") ?? [];
  const replaced = sign === "" ? [] : words.filter((word) => word.includes(sign));
  return uniqueBy(replaced, (word) => word).map(
    (word) =>
      `${title} takes what follows \`${sign}\` in \`${word}\` for a variable: give that folder another name`,
  );
}

function longNames(
  { title, tool_name: form, max_tool_name: most }: ClientFacts,
  server: string,
  plan: Plan,
): string[] {
  if (form === undefined || most === undefined) return [];
  const long = plan.mcp.listed.filter((tool) => modelName(form, server, tool).length > most);
  if (long.length === 0) return [];
  return [
    `${title} cuts or drops tools whose names are longer than ${most} characters with the server's: ${long.join(", ")}; --name makes them shorter`,
  ];
}

/** Where a client gives up before this proxy does. */
function waitRemarks({ title, waits }: ClientFacts, plan: Plan, reach: ClientView["reach"]): string[] {
  if (waits === undefined) return [];
  const { startMs, callMs } = patienceFor(plan, reach);
  const unless = waits.unless === undefined ? "" : `, unless ${waits.unless}`;
  const told = (what: string, most: number, ms: number, fix: string) =>
    most < ms
      ? [`${title} waits ${most / 1000} s for ${what}, and one may take ${ms / 1000} s${unless}${fix}`]
      : [];
  return [
    ...told("a start", waits.start_ms ?? Number.POSITIVE_INFINITY, startMs, ""),
    ...told("a call", waits.call_ms ?? Number.POSITIVE_INFINITY, callMs, ": lower `limits.timeout_ms`"),
  ];
}
