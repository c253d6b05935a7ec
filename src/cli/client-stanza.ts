/** What a client is told about this proxy, this config and this workspace, from the command line. */
import { sep } from "node:path";
import type { HttpPlan, Plan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { isLoopback } from "../base/loopback.js";
import { sortedSet, uniqueBy } from "../base/order.js";
import type { ClientFacts, ClientFileFacts } from "../config/clients.js";
import type { Stanza } from "../config/entry.js";
import type { OwnKeys } from "../config/entry-toml.js";
import { readOther } from "../config/read.js";
import {
  type ClientView,
  clientText,
  type GatewayView,
  modelName,
  type StartedView,
} from "../emit/clients.js";
import { readTemplates } from "../emit/templates.js";
import { addressOf } from "../mcp/http/address.js";
import { defaultEnv } from "../plan/defaults.js";
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
  return { view: { name, reach: started }, remarks, env: names };
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
  const words = { toolName: client.tool_name ?? "TOOL", variable: client.variable ?? "NAME" };
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

function gatewayOf({ bind, port, path, tokenEnv }: HttpPlan): GatewayView {
  if (port === 0)
    throw new UsageError("give `http.port` a number: 0 is another port with every start", "client");
  // The client runs on this machine; which of its other addresses a client would take is not ours to know.
  const host = isLoopback(bind) ? bind : "127.0.0.1";
  return { url: addressOf(host, port, path), tokenEnv };
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

/** The variables that the servers need and the client would not pass on, as its file says them. */
function envOf({ environment, variable }: ClientFacts, plan: Plan, io: Surroundings) {
  const told: { [name: string]: string } = {};
  const secret: string[] = [];
  if (environment === undefined) return { told, secret };
  const needed = plan.allow.env.filter((name) => io.env[name] && !environment.inherits.includes(name));
  for (const name of needed) {
    if (environment.told !== "values") told[name] = (variable ?? "NAME").replace("NAME", () => name);
    else if (defaultEnv.includes(name)) told[name] = io.env[name] ?? "";
    else secret.push(name);
  }
  return { told, secret };
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
