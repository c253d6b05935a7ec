/** The config files of MCP clients on this machine, and the entries in them that belong to lsp-proxy. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { HttpPlan } from "../../abi/plan.js";
import { codes } from "../../base/codes.js";
import { namesIn, realPath } from "../../base/disk.js";
import { readRegularFile } from "../../base/guarded-open.js";
import { homeOf } from "../../base/home.js";
import { canonicalText, isTable, type JsonObject, mergeOver } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { here } from "../../base/platform.js";
import type { Problem } from "../../base/problem.js";
import { hasCode } from "../../base/system.js";
import {
  type ClientFacts,
  type ClientFileFacts,
  type ClientPaths,
  clientPaths,
  readClients,
  type Scope,
} from "../../config/catalogue/clients.js";
import { listWritten, openWritten, type Written } from "../../config/edit/written.js";
import { diskFiles } from "../../config/files.js";
import { MAX_OTHER_BYTES, readOther } from "../../config/text/read.js";
import type { Source } from "../../config/text/source.js";
import { findCommand } from "../../lsp/process/search.js";
import { addressOf } from "../../mcp/http/address.js";
import { describeSystemError } from "../../workspace/edits/errors.js";
import { didYouMean, type Io, UsageError } from "../command.js";
import { executable, shippedConfigs } from "../shipped.js";

interface ClientFile {
  id: string;
  /** The client's title. */
  client: string;
  file: string;
  /** Whether the file names lsp-proxy. */
  names: boolean;
  /** Why the file cannot be read or parsed, if so. */
  problem: Problem | undefined;
  /** Programs and scripts that an entry of lsp-proxy names but that do not exist. */
  absent: string[];
  /** The configs, workspaces and URLs that its entries of lsp-proxy serve. */
  targets: string[];
  /** Whether one of these entries serves the workspace, or a part of it. */
  servesWorkspace: boolean;
}

const scopes: readonly Scope[] = ["user", "project"];

export function knownClients(): ClientFacts[] {
  return readClients(shippedConfigs, diskFiles);
}

/** The client with that id, or with that program: `claude` is `claude-code`. Throws a UsageError when there is none. */
export function findClient(id: string): ClientFacts {
  const clients = knownClients();
  const found = clients.find((client) => client.id === id) ?? clients.find(({ program }) => program === id);
  if (found) return found;
  const ids = clients.map((client) => client.id);
  throw new UsageError(`no client \`${id}\`${didYouMean(id, ids) || "."} There are ${ids.join(", ")}.`);
}

/** The path of a client's file: the existing one, or the first possible one; undefined if it has none. */
export function fileOf(facts: ClientPaths, scope: Scope, workspace: string, io: Io) {
  const paths = pathsOf(facts, scope, workspace, io);
  return paths.find((path) => existsSync(path)) ?? paths[0];
}

function pathsOf(facts: ClientPaths, scope: Scope, workspace: string, io: Io): string[] {
  return clientPaths(facts, scope, { workspace, home: homeOf(io.env), env: io.env, platform: here.name });
}

/** The other clients that read their servers from the same file. */
export function clientsSharing(path: string, id: string, workspace: string, io: Io): ClientFacts[] {
  const isRead = (facts: ClientFileFacts) =>
    facts.entry !== undefined && scopes.some((scope) => pathsOf(facts, scope, workspace, io).includes(path));
  return knownClients().filter((client) => client.id !== id && client.files.some(isRead));
}

const noEntries = { absent: [], targets: [], servesWorkspace: false };

/** The existing files of all clients. */
export function clientFiles(workspace: string, io: Io): ClientFile[] {
  const found = knownClients().flatMap(({ id, title, files }) =>
    files.flatMap((facts) =>
      scopes.flatMap((scope) => {
        const file = facts.entry && fileOf(facts, scope, workspace, io);
        if (file === undefined || !existsSync(file)) return [];
        const text = readText(file);
        if (typeof text !== "string")
          return [{ id, client: title, file, names: false, problem: text, ...noEntries }];
        const source = parseClientFile(file, text, facts);
        const entries = source.broken ? [] : startingEntries(source.tree, facts);
        const absent = entries.flatMap((entry) => absentIn(commandLine(entry), io));
        const targets = entries.flatMap((entry) => targetOf(entry) ?? []);
        const problem = source.broken ? source.problems[0] : undefined;
        const servesWorkspace = entries.some((entry) => serves(entry, workspace));
        return [{ id, client: title, file, names: isNamed(text), problem, absent, targets, servesWorkspace }];
      }),
    ),
  );
  // In the home both scopes have the same file.
  return uniqueBy(found, ({ id, file }) => `${id} ${file}`);
}

function parseClientFile(file: string, text: string, { template }: ClientFileFacts): Source {
  return readOther(file, text, template.endsWith(".toml") ? "toml" : "json");
}

/** The entries of a file that start lsp-proxy. */
function startingEntries(tree: JsonObject, { entry = [] }: ClientFileFacts) {
  const list = entry.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), tree);
  const entries = isTable(list) ? Object.values(list).filter(isTable) : [];
  return entries.filter((found) => isNamed(commandLine(found).join(" ")));
}

/** Programs and scripts that a command line of lsp-proxy names but that do not exist. */
function absentIn([program, ...args]: string[], io: Io): string[] {
  if (program === undefined) return [];
  const scripts = args.filter((word) => isAbsolute(word) && isNamed(word) && /\.[cm]?js$/.test(word));
  return [
    ...(findCommand(program, [], io.env.PATH) === undefined ? [program] : []),
    ...scripts.filter((script) => !existsSync(script)),
  ];
}

/** Whether an entry starts lsp-proxy, from any installation, or connects to its gateway at one of these URLs. */
export function isOurEntry(entry: unknown, http: HttpPlan, gateway: string): boolean {
  if (!isTable(entry)) return false;
  const words = commandLine(entry);
  // In every stanza `serve` follows. Without it the word may be a folder of that name, given to another program.
  if (words.some((word, at) => isProgram(word) && (at === 0 || words[at + 1] === "serve"))) return true;
  const values = [...Object.values(entry), ...Object.values(isTable(entry.headers) ? entry.headers : {})];
  const texts = values.filter((value) => typeof value === "string");
  const isToken = (text: string) => text.split(/[^A-Za-z0-9_]+/).includes(http.tokenEnv);
  return texts.some((text) => text === gateway || text === gatewayUrl(http) || isToken(text));
}

/** The gateway's URL for a client on this machine. */
export function gatewayUrl({ bind, port, path }: HttpPlan): string {
  // A gateway that listens on all addresses is reached at the loopback address.
  return addressOf(["0.0.0.0", "::"].includes(bind) ? "127.0.0.1" : bind, port, path);
}

/** The target of an entry that serves wherever the client was started. */
export const EVERY_PROJECT = "every project";

/** The target of an entry: a config, a workspace or both, a gateway's URL, or every project. */
export function targetOf(entry: unknown): string | undefined {
  if (!isTable(entry)) return undefined;
  const words = commandLine(entry);
  const paths = fixedPaths(words);
  if (paths.length > 0) return paths.join(" in ");
  if (words.includes("serve")) return EVERY_PROJECT;
  const texts = Object.values(entry).filter((value) => typeof value === "string");
  return texts.find((text) => /^https?:\/\//.test(text));
}

/** The config and the workspace that a command line of lsp-proxy names. */
function fixedPaths(words: readonly string[]): string[] {
  const named = words.filter((_word, at) => ["--config", "--workspace"].includes(words[at - 1] ?? ""));
  // A variable stands for the folder of the client's project.
  return named.filter((word) => !word.startsWith("${"));
}

/** Whether an entry serves a workspace, or a part of it. */
function serves(entry: { readonly [key: string]: unknown }, workspace: string): boolean {
  const words = commandLine(entry);
  const paths = fixedPaths(words);
  if (paths.length === 0) return words.includes("serve");
  return paths.some((path) => isInside(path, workspace) || isInside(workspace, path));
}

/** Whether a word is the path of our script in any installation, or the name of our command or package. */
function isProgram(word: string): boolean {
  const path = word.replaceAll("\\", "/");
  return /(?:^|\/)(?:dist\/cli\/bin\.js|lsp-proxy(?:@[\w.^~-]+|\.cmd|\.exe)?)$/.test(path);
}

function commandLine(entry: { readonly [key: string]: unknown }): string[] {
  const command = isTable(entry.command) ? entry.command.path : entry.command;
  return [command ?? [], entry.args ?? []].flat().filter((word) => typeof word === "string");
}

function isNamed(text: string): boolean {
  return text.includes("lsp-proxy") || text.includes(executable);
}

/**
 * Whether a client seems to be installed: its program, one of its files, or the folder of one exists. Files that have
 * only what we wrote do not count, and no folder that has only such files.
 */
export function isClientInstalled({ program, files }: ClientFacts, workspace: string, io: Io): boolean {
  if (program !== undefined && findCommand(program, [], io.env.PATH, []) !== undefined) return true;
  const home = homeOf(io.env);
  const written = listWritten(openWritten(io.env, home));
  const places = files.flatMap((facts) => {
    const path = fileOf(facts, "user", workspace, io);
    return path === undefined ? [] : [{ path, facts }];
  });
  const present = places.filter(({ path }) => existsSync(path));
  const ours = present.filter(({ path, facts }) => isOnlyOurs(path, facts, written)).map(({ path }) => path);
  const isUsed = (folder: string) => {
    const names = namesIn(folder);
    const isOurs = (name: string) => ours.includes(join(folder, name));
    return folder !== home && existsSync(folder) && (names.length === 0 || !names.every(isOurs));
  };
  return present.length > ours.length || places.some(({ path }) => isUsed(dirname(path)));
}

/** Whether a file has what we wrote into it, and nothing else. */
function isOnlyOurs(path: string, facts: ClientFileFacts, written: readonly Written[]): boolean {
  const texts = written.filter(({ file }) => file === realPath(path)).map(({ text }) => text);
  const now = readText(path);
  if (texts.length === 0 || typeof now !== "string") return false;
  const [found, ...ours] = [now, ...texts].map((text) => parseClientFile(path, text, facts));
  const all = ours.reduce((tree, source) => mergeOver(tree, source.tree), {});
  return found?.broken === false && canonicalText(found.tree) === canonicalText(all);
}

/** The text of a file that exists, or why it cannot be read. */
function readText(file: string): string | Problem {
  const unreadable = (why: string): Problem => ({
    code: "cli/not-readable",
    severity: "error",
    message: `the file cannot be read: ${why}`,
    pointer: "",
    fix: codes["cli/not-readable"].fix,
  });
  try {
    const read = readRegularFile(file, MAX_OTHER_BYTES + 1);
    return read?.bytes.toString("utf8") ?? unreadable("it is not a regular file");
  } catch (error) {
    if (!hasCode(error)) throw error;
    return unreadable(describeSystemError(error) ?? error.code);
  }
}
