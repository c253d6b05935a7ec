/** The stanza for an MCP client's config file: how the client starts lsp-proxy or connects to its gateway. */
import { sep } from "node:path";
import type { HttpPlan, Plan, ToolPlan } from "../../abi/plan.js";
import { uniqueBy } from "../../base/order.js";
import type { ClientFacts, ClientFileFacts } from "../../config/catalogue/clients.js";
import type { Stanza } from "../../config/edit/stanza.js";
import {
  type ClientSyntax,
  type ClientView,
  clientText,
  type GatewayView,
  modelName,
  type StartedView,
  timeoutsFor,
} from "../../emit/clients.js";
import { readTemplates } from "../../emit/templates.js";
import { defaultEnv } from "../../plan/defaults.js";
import { type Input, type Io, UsageError } from "../command.js";
import { type Planned, workspaceOf } from "../compile.js";
import { executable, shippedTemplates, version } from "../shipped.js";
import { gatewayUrl, targetOf } from "./client-files.js";

export interface ClientSetup {
  view: ClientView;
  /** Limitations that the user should know. */
  remarks: string[];
  /** Environment variables that the stanza passes to lsp-proxy. */
  env: readonly string[];
  /** The targets of entries for this project: its config or workspace, and its gateway. */
  project: readonly string[];
}

/** The setup that the command line asks for. Throws a UsageError for what the client cannot do. */
export function clientSetup(client: ClientFacts, input: Input, io: Io, planned: Planned): ClientSetup {
  const { plan } = planned;
  const name = input.text("name") ?? plan.mcp.name;
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name))
    throw new UsageError("--name takes 1 to 40 letters, digits, `_` or `-`");
  const remarks = longNames(client, name, plan);
  const env = envOf(client, plan, io);
  const serve = serveArguments(input, io, planned);
  const common = {
    env: Object.keys(env.passed),
    project: [targetOf({ args: serve }), gatewayUrl(plan.http)].filter((target) => target !== undefined),
  };
  if (input.isOn("http")) {
    if (client.no_http !== undefined) throw new UsageError(`${client.title}: ${client.no_http}`);
    const reach = gatewayOf(plan.http);
    remarks.push(...tokenRemarks(client, plan.http, io), ...handshakeRemarks(client, plan.http));
    remarks.push(...waitRemarks(client, plan, reach));
    return { view: { name, reach }, remarks, ...common };
  }
  if (env.secret.length > 0)
    remarks.push(
      `set ${env.secret.join(", ")} for ${client.title} by hand: values that may be secrets are not written`,
    );
  const started: StartedView = { ...commandOf(input, serve), cwd: planned.loaded.base, env: env.passed };
  remarks.push(...replacedWords(client, [started.command, ...started.args, started.cwd]));
  remarks.push(...waitRemarks(client, plan, started));
  return { view: { name, reach: started }, remarks, ...common };
}

/** The facts about a client that its templates use. */
export function wordsOf({ tool_name: toolName = "TOOL", ...facts }: ClientFacts): ClientSyntax {
  const { allow_name: allowName = toolName, plain_names: isPlain = false, variable = "NAME" } = facts;
  return { toolName, allowName, isPlain, variable };
}

/** The stanza for one of a client's files. `forms` are all its possible earlier texts, by which it is found for removal. */
export function stanzaOf(
  client: ClientFacts,
  { template, entry, spread = [], joins }: ClientFileFacts,
  { view, env }: Pick<ClientSetup, "view" | "env">,
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
  const passed = Object.fromEntries((env.length > 0 ? env : ["NAME"]).map((name) => [name, ""]));
  return [
    { command: "node", args: [], cwd: "/", env: passed, isFetched: false },
    { url: "http://127.0.0.1", tokenEnv: "NAME" },
  ];
}

/** The command that starts lsp-proxy from any folder: this installation, or the package of this version by npx. */
function commandOf(input: Input, serve: string[]): Pick<StartedView, "command" | "args" | "isFetched"> {
  // The cache of npx may be deleted at any time.
  const isTemporary = executable.split(sep).includes("_npx");
  if (!input.isOn("npx") && (input.isOn("absolute") || !isTemporary))
    return { command: process.execPath, args: [executable, "serve", ...serve], isFetched: false };
  const words = ["npx", "-y", `lsp-proxy@${version()}`, "serve", ...serve];
  // On Windows npx is a script and needs a shell.
  const [command = "", ...args] = process.platform === "win32" ? ["cmd", "/c", ...words] : words;
  return { command, args, isFetched: true };
}

function gatewayOf(http: HttpPlan): GatewayView {
  if (http.port === 0)
    throw new UsageError("set `http.port` to a fixed number: 0 means another port with every start");
  return { url: gatewayUrl(http), tokenEnv: http.tokenEnv };
}

/** A client sends the variable's value unchanged, so it must be one token. */
function tokenRemarks({ title }: ClientFacts, { tokenEnv, tokenFile }: HttpPlan, io: Io): string[] {
  const needs = `${title} sends ${tokenEnv} as its token`;
  if (tokenFile !== null) return [`${needs}: set it to one of those in ${tokenFile} where ${title} runs`];
  const isOne = !/\s/.test((io.env[tokenEnv] ?? "").trim());
  return isOne ? [] : [`${needs}, but it holds several: where ${title} runs it must hold one`];
}

/** A strict gateway refuses handshakes of older protocol revisions that are not listed. */
function handshakeRemarks(
  { title, handshake }: ClientFacts,
  { strict, olderHandshakes }: HttpPlan,
): string[] {
  if (!strict || handshake === undefined || olderHandshakes.includes(handshake)) return [];
  const key = `older_handshakes = [${JSON.stringify(handshake)}]`;
  return [
    `${title} uses the protocol revision ${handshake}, which is refused without \`${key}\` in \`[http]\``,
  ];
}

/** Arguments of `serve` that work from any folder. */
function serveArguments(input: Input, io: Io, { loaded }: Planned): string[] {
  const context = input.text("context");
  const isNamed = input.text("workspace") !== undefined;
  // A named config is named again. A discovered one is discovered again, so that its trust is checked.
  const source =
    loaded.main.kind === "named" && loaded.main.file !== null
      ? ["--config", loaded.main.file, ...(isNamed ? ["--workspace", workspaceOf(input, io)] : [])]
      : ["--workspace", workspaceOf(input, io)];
  return [
    ...source,
    ...(context === undefined ? [] : ["--context", context]),
    ...(input.isOn("read-only") ? ["--read-only"] : []),
    ...(input.isOn("trust-workspace") ? ["--trust-workspace"] : []),
  ];
}

/** Variables that locate the user's config and state. */
const proxyEnv = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/** Variables that lsp-proxy and its servers need but that the client does not inherit. */
function envOf({ environment, variable }: ClientFacts, plan: Plan, io: Io) {
  const passed: { [name: string]: string } = {};
  const secret: string[] = [];
  if (environment === undefined) return { passed, secret };
  const needed = uniqueBy([...plan.allow.env, ...proxyEnv], (name) => name).filter(
    (name) => io.env[name] && !environment.inherits.includes(name),
  );
  for (const name of needed) {
    if (environment.told !== "values") passed[name] = (variable ?? "NAME").replace("NAME", () => name);
    else if (defaultEnv.includes(name)) passed[name] = io.env[name] ?? "";
    else secret.push(name);
  }
  return { passed, secret };
}

/** Arguments that the client would expand, because they look like one of its variables. */
function replacedWords({ title, variable }: ClientFacts, words: readonly string[]): string[] {
  const [sign = ""] = variable?.split("NAME") ?? [];
  const replaced = sign === "" ? [] : words.filter((word) => word.includes(sign));
  return uniqueBy(replaced, (word) => word).map(
    (word) => `${title} expands what follows \`${sign}\` in \`${word}\` as a variable: rename that folder`,
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
    `${title} cuts or drops tools whose full names are longer than ${most} characters: ${long.join(", ")}; shorten them with --name`,
  ];
}

/** Warns when the client's timeouts are shorter than those of lsp-proxy. */
function waitRemarks({ title, waits }: ClientFacts, plan: Plan, reach: ClientView["reach"]): string[] {
  if (waits === undefined) return [];
  const { startMs, callMs } = timeoutsFor(plan, reach);
  const unless = waits.unless === undefined ? "" : `, unless ${waits.unless}`;
  const remark = (what: string, most: number, ms: number, fix: string) =>
    most < ms
      ? [`${title} waits ${most / 1000} s for ${what}, but it may take ${ms / 1000} s${unless}${fix}`]
      : [];
  return [
    ...remark("a start", waits.start_ms ?? Number.POSITIVE_INFINITY, startMs, ""),
    ...remark("a call", waits.call_ms ?? Number.POSITIVE_INFINITY, callMs, ": lower `limits.timeout_ms`"),
  ];
}
