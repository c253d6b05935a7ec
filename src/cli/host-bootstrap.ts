/**
 * How llxprt-code starts its LSP service: without arguments, with `LSP_BOOTSTRAP` = `{ workspaceRoot, config }` in the
 * environment. MCP is then on the descriptors 3 and 4, and the host's own channel on stdin and stdout.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fieldsOf, isTable, type Json, type JsonObject, mergeOver, parseJson } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { severities } from "../protocol/kinds.js";
import { Input } from "./command.js";
import { HOST } from "./flags.js";
import { shippedConfigs } from "./shipped.js";

/** The error in the variable. */
class BootstrapProblem extends Error {}

const PROFILE = "llxprt";
const NAVIGATION_TOOLS = [
  "lsp_goto_definition",
  "lsp_find_references",
  "lsp_hover",
  "lsp_document_symbols",
  "lsp_workspace_symbols",
];
/** The bounds of the keys that the times are written to. */
const SHORTEST_CALL_MS = 100;
const LONGEST_WAIT_MS = 60_000;
const HIGHEST_PRIORITY = 1000;

type Fields = { readonly [name: string]: unknown };

/** The input of `serve`, or what is wrong with the text of the variable. */
export function bootstrapInput(text: string): Input | string {
  try {
    const bootstrap = table(parseJson(text), "LSP_BOOTSTRAP");
    const workspace = string(bootstrap.workspaceRoot, "LSP_BOOTSTRAP.workspaceRoot");
    const isOff = bootstrap.config === false;
    const given = isOff ? {} : table(bootstrap.config ?? {}, "LSP_BOOTSTRAP.config");
    const withMcp = given.navigationTools ?? true;
    if (typeof withMcp !== "boolean") throw must("LSP_BOOTSTRAP.config.navigationTools", "a boolean");
    const flags = {
      workspace: resolve(workspace),
      context: PROFILE,
      [HOST]: withMcp ? "mcp" : "alone",
    };
    const settings: JsonObject = { ...settingsOf(given), ...(isOff ? { allow: { servers: false } } : {}) };
    const servers = serversOf(given);
    // Without servers of its own, the host gets those that are installed for the workspace.
    if (servers.length === 0) return new Input(flags, [], undefined, settings);
    const commands = servers.map(({ command }) => command ?? "");
    const allow = { commands, effects: ["read"] };
    return new Input(flags, [], mergeOver(settings, { mcp: { context: PROFILE }, allow, servers }));
  } catch (error) {
    if (!(error instanceof BootstrapProblem)) throw error;
    return error.message;
  }
}

/** Times, severities and limits. The host has had two names for most of the times. */
function settingsOf(given: Fields): JsonObject {
  const time = (...names: string[]): number | undefined => {
    const name = names.find((candidate) => given[candidate] !== undefined) ?? "";
    return positive(given[name], `LSP_BOOTSTRAP.config.${name}`);
  };
  const wait = time("diagnosticsTimeoutMs", "diagnosticTimeout");
  const firstWait = time("firstTouchTimeoutMs", "firstTouchTimeout");
  const navigation = time("navigationTimeoutMs", "navigationTimeout");
  const wanted = severitiesOf(given.includeSeverities);
  const perFile = positive(given.maxDiagnosticsPerFile, "LSP_BOOTSTRAP.config.maxDiagnosticsPerFile");
  const files = positive(given.maxProjectDiagnosticsFiles, "LSP_BOOTSTRAP.config.maxProjectDiagnosticsFiles");
  const report = {
    id: "report",
    kind: "diagnostics",
    settle_ms: 150,
    wait_ms: Math.min(wait ?? 3_000, LONGEST_WAIT_MS),
  };
  const check = { ...report, first_wait_ms: Math.min(firstWait ?? 10_000, LONGEST_WAIT_MS) };
  const navigationMs = Math.max(navigation ?? 0, SHORTEST_CALL_MS);
  return {
    ...(wanted === undefined ? {} : { mcp: { host_channel: { severities: wanted } } }),
    limits: {
      ...(perFile === undefined ? {} : { after_edit_per_file: Math.min(perFile, 1000) }),
      ...(files === undefined ? {} : { after_edit_other_files: Math.min(files, 1000) }),
    },
    tools: [
      { name: "lsp_check_file", steps: [check] },
      { name: "lsp_diagnostics", steps: [report] },
      ...(navigation === undefined
        ? []
        : NAVIGATION_TOOLS.map((name) => ({ name, timeout_ms: navigationMs }))),
    ],
  };
}

/** The severities that the host wants, and no others. */
function severitiesOf(given: unknown): string[] | undefined {
  if (given === undefined) return undefined;
  const at = "LSP_BOOTSTRAP.config.includeSeverities";
  const words = strings(given, at).map((word) => (word === "info" ? "information" : word));
  if (words.length === 0 || !words.every((word) => (severities as readonly string[]).includes(word)))
    throw must(at, "a list of error, warning, info and hint");
  return sortedSet(words);
}

function serversOf(given: Fields): JsonObject[] {
  if (given.servers === undefined) return [];
  if (!Array.isArray(given.servers)) throw must("LSP_BOOTSTRAP.config.servers", "an array");
  const requestMs = positive(
    given.requestTimeoutMs ?? given.requestTimeout,
    "LSP_BOOTSTRAP.config.requestTimeoutMs",
  );
  return given.servers.map((entry: unknown, index) => {
    const at = `LSP_BOOTSTRAP.config.servers[${index}]`;
    const server = table(entry, at);
    const id = string(server.id, `${at}.id`);
    const command = string(server.command, `${at}.command`);
    const kind = presetOf(id, command);
    const list = (name: string) =>
      server[name] === undefined ? undefined : strings(server[name], `${at}.${name}`);
    const { env, initializationOptions, enabled } = server;
    if (env !== undefined) table(env, `${at}.env`);
    if (enabled !== undefined && typeof enabled !== "boolean") throw must(`${at}.enabled`, "a boolean");
    const extensions = list("extensions")?.map((extension) => extension.replace(/^\./, ""));
    return {
      id,
      command,
      ...(kind === undefined ? {} : { kind }),
      // Several servers of one file are asked in the order in which the host names them.
      priority: HIGHEST_PRIORITY - index,
      args: list("args") ?? [],
      ...(extensions === undefined ? {} : { extensions }),
      ...(env === undefined ? {} : { env: env as Json }),
      ...(initializationOptions === undefined ? {} : { initialize_options: initializationOptions as Json }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(requestMs === undefined ? {} : { request_timeout_ms: Math.max(requestMs, SHORTEST_CALL_MS) }),
    };
  });
}

/** The preset that knows a server: by the name of its program, or by the host's own id for it. */
function presetOf(id: string, command: string): string | undefined {
  const isShipped = (name: string) =>
    /^[\w.-]+$/.test(name) && existsSync(join(shippedConfigs, "servers", `${name}.toml`));
  const named = basename(command);
  if (isShipped(named)) return named;
  // The host's own servers by id, with the presets that know their files.
  const builtIn = fieldsOf<Fields>(
    parseJson(readFileSync(join(shippedConfigs, "host-servers.json"), "utf8")),
  );
  const kind = Object.hasOwn(builtIn, id) ? builtIn[id] : undefined;
  return typeof kind === "string" ? kind : undefined;
}

function table(value: unknown, at: string): Fields {
  if (!isTable(value)) throw must(at, "a JSON object");
  return fieldsOf<Fields>(value);
}

function string(value: unknown, at: string): string {
  if (typeof value !== "string" || value === "") throw must(at, "a non-empty string");
  return value;
}

function strings(value: unknown, at: string): string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
    throw must(at, "an array of strings");
  return value;
}

/** A whole number from a positive one. */
function positive(value: unknown, at: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) throw must(at, "a positive number");
  return Math.ceil(value);
}

function must(at: string, what: string): BootstrapProblem {
  return new BootstrapProblem(`${at} must be ${what}`);
}
