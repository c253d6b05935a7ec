/** The stanza for an MCP client's config file: how the client starts lsp-proxy or connects to its gateway. */
import { delimiter, sep } from "node:path";
import type { HttpPlan, Plan, ToolPlan } from "../../abi/plan.js";
import { isLoopback } from "../../base/listen-address.js";
import { uniqueBy } from "../../base/order.js";
import { here } from "../../base/platform.js";
import type { ClientFacts, ClientFileFacts, Scope } from "../../config/catalogue/clients.js";
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
import { readTemplates } from "../../emit/render.js";
import { findCommand } from "../../lsp/process/search.js";
import { defaultEnv } from "../../plan/defaults.js";
import { type Input, type Io, UsageError } from "../command.js";
import type { Planned } from "../compile.js";
import { executable, shippedTemplates } from "../shipped.js";
import { workspaceOf } from "../workspace.js";
import { gatewayUrl, targetOf } from "./client-files.js";
import { packageSpec } from "./published.js";

interface ClientSetup {
  view: ClientView;
  /** Limitations that the user should know. */
  remarks: string[];
  /** Environment variables that the stanza passes to lsp-proxy. */
  env: readonly string[];
  /** Whether the entry serves every project in which the client is started. */
  servesAll: boolean;
  /** The URL of the gateway: the one that the entry connects to, or that of the config. */
  gateway: string;
  /** The targets of entries for this project: its config or workspace, and its gateway. */
  project: readonly (string | undefined)[];
}

/** The setup that the command line asks for. Throws a UsageError for what the client cannot do. */
export function clientSetup(
  client: ClientFacts,
  scope: Scope,
  input: Input,
  io: Io,
  planned: Planned,
): ClientSetup {
  const { plan } = planned;
  const name = input.text("name") ?? plan.mcp.name;
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name))
    throw new UsageError("--name takes 1 to 40 letters, digits, `_` or `-`");
  const env = envOf(client, plan, io);
  const { serve, isPinned } = serveArguments(client, scope, input, io, planned);
  const program = programOf(scope, isPinned, input, io);
  const cwd = isPinned ? planned.loaded.base : null;
  const started = { ...commandOf(program, serve), cwd, env: env.passed };
  const url = input.text("url");
  const connection = input.isOn("http") || url !== undefined ? gatewayOf(client, plan.http, url) : started;
  const remarks = [
    ...longNames(client, name, plan),
    ...("url" in connection
      ? [...plainRemarks(connection.url), ...gatewayRemarks(client, plan.http, io)]
      : [
          ...startRemarks(client, env.secret, [started.command, ...started.args, cwd ?? ""]),
          ...portableRemarks(client, scope, program, isPinned, input, io),
        ]),
    ...waitRemarks(client, plan, connection),
  ];
  const gateway = "url" in connection ? connection.url : gatewayUrl(plan.http);
  const project = [targetOf({ args: ["serve", ...serve] }), gatewayUrl(plan.http), gateway];
  const servesAll = !("url" in connection) && !isPinned;
  return { view: { name, connection }, remarks, env: Object.keys(env.passed), servesAll, gateway, project };
}

/** The facts about a client that its templates use. */
export function syntaxOf({ tool_name: toolName = "TOOL", ...facts }: ClientFacts): ClientSyntax {
  const { allow_name: allowName = toolName, plain_names: isPlain = false, variable = "NAME" } = facts;
  return { toolName, allowName, isPlain, variable };
}

/**
 * The stanza for one of a client's files. `forms` are all its possible earlier texts, by which it is found for removal.
 */
export function stanzaOf(
  client: ClientFacts,
  { template, entry, spread = [], joins }: ClientFileFacts,
  { view, env, servesAll }: Pick<ClientSetup, "view" | "env" | "servesAll">,
  plan: Plan,
  { known, past }: { known: readonly ToolPlan[]; past: readonly string[] },
): Stanza {
  const templates = readTemplates(shippedTemplates);
  const syntax = syntaxOf(client);
  const text = (connection: ClientView["connection"], tools?: readonly ToolPlan[]) =>
    clientText(template, { ...view, connection }, syntax, plan, templates, tools);
  const whole = uniqueBy([...plan.tools, ...known], ({ name }) => name);
  const possible = connectionsOf(env).map((connection) => text(connection, whole));
  return {
    language: template.endsWith(".toml") ? "toml" : "json",
    // Other projects may allow more: their tools keep their permissions, whatever this project allows.
    text: text(view.connection, servesAll ? whole : undefined),
    entry: entry && [...entry, view.name],
    forms: [...possible, ...past],
    shorthands: spread,
    existingList: joins,
  };
}

function connectionsOf(env: readonly string[]): ClientView["connection"][] {
  const passed = Object.fromEntries((env.length > 0 ? env : ["NAME"]).map((name) => [name, ""]));
  return [
    { command: "node", args: [], cwd: "/", env: passed, isFetched: false },
    { url: "http://127.0.0.1", tokenEnv: "NAME" },
  ];
}

/** How lsp-proxy is started: as the command on PATH, as this installation by its path, or as the package by npx. */
type Program = "command" | "path" | "npx";

function programOf(scope: Scope, isPinned: boolean, input: Input, io: Io): Program {
  if (input.isOn("npx")) return "npx";
  if (input.isOn("absolute")) return "path";
  // An entry that others read too has no paths of this machine.
  if (!isPinned && (scope === "project" || isOnPath(io))) return "command";
  // The cache of npx may be deleted at any time.
  return executable.split(sep).includes("_npx") ? "npx" : "path";
}

/** Whether a shell finds `lsp-proxy`. The folders that npm and npx put before PATH for one command do not count. */
function isOnPath({ env }: Io): boolean {
  const isLasting = (folder: string) => !folder.split(sep).includes("node_modules");
  const path = (env.PATH ?? "").split(delimiter).filter(isLasting).join(delimiter);
  return ["lsp-proxy", "lsp-proxy.cmd"].some((name) => findCommand(name, [], path) !== undefined);
}

function commandOf(program: Program, serve: string[]): Pick<StartedView, "command" | "args" | "isFetched"> {
  const isFetched = program === "npx";
  if (program === "path")
    return { command: process.execPath, args: [executable, "serve", ...serve], isFetched };
  const start = isFetched ? ["npx", "-y", packageSpec()] : ["lsp-proxy"];
  const words = [...start, "serve", ...serve];
  const [command = "", ...args] = here.needsShell ? ["cmd", "/c", ...words] : words;
  return { command, args, isFetched };
}

/** The reasons why an entry works in one project only, or not on other machines. */
function portableRemarks(
  { title, workspace }: ClientFacts,
  scope: Scope,
  program: Program,
  isPinned: boolean,
  input: Input,
  io: Io,
): string[] {
  if (program === "command" && !isOnPath(io))
    return [
      "`lsp-proxy` is not on PATH, where the entry expects it: install it there (`npm install -g`), or use --absolute, which writes paths of this machine",
    ];
  const isWanted = ["config", "workspace"].some((flag) => input.text(flag) !== undefined);
  if (!isPinned || isWanted || workspace?.[scope] !== undefined) return [];
  return [`${title} does not tell a server which project it is for: this entry is for one project`];
}

function gatewayOf(client: ClientFacts, http: HttpPlan, given: string | undefined): GatewayView {
  if (client.no_http !== undefined) throw new UsageError(`${client.title}: ${client.no_http}`);
  if (given !== undefined) return { url: givenUrl(given, http.path), tokenEnv: http.tokenEnv };
  if (http.port === 0)
    throw new UsageError("set `http.port` to a fixed number: 0 means another port with every start");
  return { url: gatewayUrl(http), tokenEnv: http.tokenEnv };
}

/** The address of a gateway as it is given; without a path, with that of the config. */
function givenUrl(given: string, path: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new UsageError("--url takes an http or https address, such as https://lsp.example.org/mcp");
  // They may be secrets, which are never written into a config.
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new UsageError("--url takes an address without a user, a password, a query and a fragment");
  if (url.pathname === "/") url.pathname = path;
  return url.href;
}

/** Warns when the token would be sent over the network as plain text. */
function plainRemarks(address: string): string[] {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "http:" || isLoopback(hostname.replaceAll(/[[\]]/g, ""))) return [];
  return [`the token travels unencrypted to ${hostname}: give the https address of a proxy with TLS (--url)`];
}

function gatewayRemarks({ title, handshake }: ClientFacts, http: HttpPlan, io: Io): string[] {
  const { tokenEnv, tokenFile, strict, olderHandshakes } = http;
  const remarks: string[] = [];
  // A client sends the variable's value unchanged, so it must be one token.
  const needs = `${title} sends ${tokenEnv} as its token`;
  if (tokenFile !== null)
    remarks.push(`${needs}: set it to one of those in ${tokenFile} where ${title} runs`);
  else if (/\s/.test((io.env[tokenEnv] ?? "").trim()))
    remarks.push(`${needs}, but it holds several: where ${title} runs it must hold one`);
  if (strict && handshake !== undefined && !olderHandshakes.includes(handshake))
    remarks.push(
      `${title} uses the protocol revision ${handshake}, which is refused without \`older_handshakes = ["${handshake}"]\` in \`[http]\``,
    );
  return remarks;
}

/** Arguments of `serve`: for every project, or pinned to a config or workspace so that they work from any folder. */
function serveArguments(
  client: ClientFacts,
  scope: Scope,
  input: Input,
  io: Io,
  { loaded: { main } }: Planned,
): { serve: string[]; isPinned: boolean } {
  const context = input.text("context");
  // A named config is named again. A discovered one is discovered again, so that its trust is checked.
  const config = main.kind === "named" && main.file !== null ? ["--config", main.file] : [];
  const isPlaced = input.text("workspace") !== undefined;
  const source = client.workspace?.[scope];
  const isPinned = config.length > 0 || isPlaced || source === undefined;
  const variable = source === undefined || ["cwd", "roots"].includes(source) ? [] : ["--workspace", source];
  const place = isPlaced || config.length === 0 ? ["--workspace", workspaceOf(input, io)] : [];
  const serve = [
    ...(input.isOn("private") ? [] : ["--shared"]),
    ...(isPinned ? [...config, ...place] : variable),
    ...(context === undefined ? [] : ["--context", context]),
    ...(input.isOn("read-only") ? ["--read-only"] : []),
    ...(input.isOn("trust-workspace") ? ["--trust-workspace"] : []),
  ];
  return { serve, isPinned };
}

/** Variables that locate the user's config and state. */
const proxyEnv = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/** Variables that lsp-proxy and its servers need but that the client does not inherit. */
function envOf({ environment, variable }: ClientFacts, plan: Plan, io: Io) {
  const passed: { [name: string]: string } = {};
  const secret: string[] = [];
  if (environment === undefined) return { passed, secret };
  for (const name of new Set([...plan.allow.env, ...proxyEnv])) {
    if (!io.env[name] || environment.inherits.includes(name)) continue;
    if (environment.passes !== "values") passed[name] = (variable ?? "NAME").replace("NAME", () => name);
    else if (defaultEnv.includes(name)) passed[name] = io.env[name] ?? "";
    else secret.push(name);
  }
  return { passed, secret };
}

/** Variables to set by hand, and arguments that look like a variable of the client, which it would expand. */
function startRemarks(
  { title, variable }: ClientFacts,
  secret: readonly string[],
  words: string[],
): string[] {
  const [sign = ""] = variable?.split("NAME") ?? [];
  const replaced = words.filter((word) => sign !== "" && word.includes(sign));
  return [
    ...(secret.length > 0
      ? [`set ${secret.join(", ")} for ${title} by hand: values that may be secrets are not written`]
      : []),
    ...[...new Set(replaced)].map(
      (word) => `${title} expands what follows \`${sign}\` in \`${word}\` as a variable: rename that folder`,
    ),
  ];
}

function longNames(client: ClientFacts, server: string, plan: Plan): string[] {
  const { title, tool_name: form, max_tool_name: most } = client;
  if (form === undefined || most === undefined) return [];
  const long = plan.mcp.listed.filter((tool) => modelName(form, server, tool).length > most);
  if (long.length === 0) return [];
  return [
    `${title} cuts or drops tools whose full names are longer than ${most} characters: ${long.join(", ")}; shorten them with --name`,
  ];
}

/** Warns when the client's timeouts are shorter than those of lsp-proxy. */
function waitRemarks(
  { title, waits }: ClientFacts,
  plan: Plan,
  connection: ClientView["connection"],
): string[] {
  if (waits === undefined) return [];
  const { startMs, callMs } = timeoutsFor(plan, connection);
  const change = waits.changed_by === undefined ? "" : ` (set \`${waits.changed_by}\` to change this)`;
  const remark = (what: string, most: number, ms: number, fix: string) =>
    most < ms
      ? [
          `${title} waits at most ${most / 1000} s for ${what}${change}, but ${what} may take ${ms / 1000} s${fix}`,
        ]
      : [];
  return [
    ...remark("a start", waits.start_ms ?? Number.POSITIVE_INFINITY, startMs, ""),
    ...remark("a call", waits.call_ms ?? Number.POSITIVE_INFINITY, callMs, ": lower `limits.timeout_ms`"),
  ];
}
