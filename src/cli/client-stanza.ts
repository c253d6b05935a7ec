/** What a client is told about this proxy, this config and this workspace, from the command line. */
import { sep } from "node:path";
import type { HttpPlan, Plan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { sortedSet, uniqueBy } from "../base/order.js";
import type { ClientFacts, ClientFileFacts } from "../config/clients.js";
import type { Stanza } from "../config/entry.js";
import type { OwnKeys } from "../config/entry-toml.js";
import { readOther } from "../config/read.js";
import {
  type ClientView,
  type ClientWords,
  clientText,
  type GatewayView,
  modelName,
  type StartedView,
} from "../emit/clients.js";
import { readTemplates } from "../emit/templates.js";
import { defaultEnv } from "../plan/defaults.js";
import { gatewayUrl } from "./client-files.js";
import { type Input, isOn, type Surroundings, textFlag, UsageError } from "./command.js";
import { type Compiled, workspaceOf } from "./compile.js";
import { executable, shippedTemplates, version } from "./shipped.js";

/** How a client is told, and what could not be said. */
export interface Told {
  view: ClientView;
  remarks: string[];
  /** The variables that the client's file names for a proxy that it starts. */
  env: readonly string[];
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
  const names = Object.keys(env.told);
  if (isOn(input, "http")) {
    if (client.no_http !== undefined) throw new UsageError(`${client.title}: ${client.no_http}`, "client");
    remarks.push(...tokenRemarks(client, plan.http, io), ...handshakeRemarks(client, plan.http));
    return { view: { name, reach: gatewayOf(plan.http) }, remarks, env: names };
  }
  if (env.secret.length > 0)
    remarks.push(
      `${client.title} must be told ${env.secret.join(", ")} by hand: values that may be secrets are not written`,
    );
  const started: StartedView = {
    ...commandOf(input, serveArguments(input, io, planned)),
    cwd: planned.loaded.base,
    env: env.told,
  };
  remarks.push(...replacedWords(client, [started.command, ...started.args, started.cwd]));
  return { view: { name, reach: started }, remarks, env: names };
}

/** What the texts for a client depend on. */
export function wordsOf({ tool_name, plain_names, variable }: ClientFacts): ClientWords {
  return { toolName: tool_name ?? "TOOL", isPlain: plain_names ?? false, variable: variable ?? "NAME" };
}

/** The stanza for one of a client's files; of the tools, those of the plan are in it, and all of them may have been. */
export function stanzaOf(
  client: ClientFacts,
  facts: ClientFileFacts,
  { view, env }: Omit<Told, "remarks">,
  plan: Plan,
  known: readonly ToolPlan[],
): Stanza {
  const templates = readTemplates(shippedTemplates);
  const words = wordsOf(client);
  const text = (reach: ClientView["reach"], of: Plan) =>
    clientText(facts.template, { ...view, reach }, words, of, templates);
  const language = facts.template.endsWith(".toml") ? "toml" : "json";
  const entry = facts.entry && [...facts.entry, view.name];
  const tools = uniqueBy([...plan.tools, ...known], ({ name }) => name);
  const whole = { ...plan, tools, mcp: { ...plan.mcp, listed: tools.map(({ name }) => name) } };
  // Whatever any config could make of the template is ours; everything else in the entry is the person's.
  const reading = { ...whole, tools: tools.filter(({ effect }) => effect === "read") };
  const trees = reachesOf(env).flatMap((reach) =>
    [whole, reading].map((of) => readOther("stanza", text(reach, of), language).tree),
  );
  const own = ownKeys(trees.map((tree) => valueAt(tree, entry ?? [])));
  return { language, text: text(view.reach, plan), entry, own, ever: text(view.reach, whole) };
}

function reachesOf(env: readonly string[]): ClientView["reach"][] {
  const told = Object.fromEntries((env.length > 0 ? env : ["NAME"]).map((name) => [name, ""]));
  return [
    { command: "node", args: [], cwd: "/", env: told, isFetched: false },
    { url: "http://127.0.0.1", tokenEnv: "NAME" },
  ];
}

function ownKeys(entries: readonly unknown[]): OwnKeys {
  const own = new Map<string, string[]>();
  for (const [key, value] of entries.filter(isTable).flatMap((entry) => Object.entries(entry)))
    own.set(key, sortedSet([...(own.get(key) ?? []), ...(isTable(value) ? Object.keys(value) : [])]));
  return Object.fromEntries(own);
}

function valueAt(tree: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), tree);
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
  // A file that was named, by flag or environment, is named again; a discovered one is discovered again, and trusted or not.
  const source =
    loaded.main.kind === "named" && loaded.main.file !== null
      ? ["--config", loaded.main.file]
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
