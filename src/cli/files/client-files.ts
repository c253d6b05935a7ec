/** The files of MCP clients on this machine. Which there are is data. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { HttpPlan } from "../../abi/plan.js";
import { isTable } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import {
  type ClientFacts,
  type ClientFileFacts,
  type ClientPaths,
  clientPaths,
  readClients,
  type Scope,
} from "../../config/catalogue/clients.js";
import { diskFiles } from "../../config/files.js";
import { readOther } from "../../config/text/read.js";
import { findCommand } from "../../lsp/process/program.js";
import { addressOf } from "../../mcp/http/address.js";
import { homeOf, type Surroundings, UsageError } from "../command.js";
import { executable, shippedConfigs } from "../shipped.js";

/** A client's file and whether it names the proxy. */
export interface ClientFile {
  client: string;
  file: string;
  names: boolean;
  /** The client's own name in our data. */
  id: string;
  /** Programs and files that an entry about the proxy names and that are not there. */
  absent: string[];
}

/** Every client that is known. */
export function knownClients(): ClientFacts[] {
  return readClients(shippedConfigs, diskFiles);
}

/** The client of that id. Throws a UsageError of a command when there is none. */
export function findClient(id: string, command: string): ClientFacts {
  const clients = knownClients();
  const found = clients.find((client) => client.id === id);
  if (found) return found;
  const ids = clients.map((client) => client.id);
  const near = nearest(id, ids);
  throw new UsageError(
    `no client \`${id}\`${near ? `; did you mean \`${near}\`?` : ""} There are ${ids.join(", ")}`,
    command,
  );
}

/** The path of a client's file: the one that is there, or the first that could be; undefined where it has none. */
export function fileOf(facts: ClientPaths, scope: Scope, workspace: string, io: Surroundings) {
  const where = { workspace, home: homeOf(io), env: io.env, platform: process.platform };
  const paths = clientPaths(facts, scope, where);
  return paths.find((path) => existsSync(path)) ?? paths[0];
}

/** The other clients that keep their servers in the same file. */
export function sharersOf(path: string, id: string, workspace: string, io: Surroundings): ClientFacts[] {
  const where = { workspace, home: homeOf(io), env: io.env, platform: process.platform };
  return knownClients().filter(
    (client) =>
      client.id !== id &&
      client.files.some(
        (facts) =>
          facts.entry !== undefined &&
          (["user", "project"] as const).some((scope) => clientPaths(facts, scope, where).includes(path)),
      ),
  );
}

/** The files that are there. */
export function clientFiles(workspace: string, io: Surroundings): ClientFile[] {
  return knownClients().flatMap(({ id, title, files }) =>
    files
      .filter(({ entry }) => entry !== undefined)
      .flatMap((facts) =>
        (["user", "project"] as const).flatMap((scope) => {
          const file = fileOf(facts, scope, workspace, io);
          const text = file === undefined ? undefined : textOf(file);
          if (file === undefined || text === undefined) return [];
          const absent = absentIn(file, text, facts, io);
          return [{ id, client: title, file, names: isNamed(text), absent }];
        }),
      ),
  );
}

/** Programs and scripts that entries about this proxy name and that cannot be found here. */
function absentIn(
  file: string,
  text: string,
  { template, entry = [] }: ClientFileFacts,
  io: Surroundings,
): string[] {
  const { tree, broken } = readOther(file, text, template.endsWith(".toml") ? "toml" : "json");
  if (broken) return [];
  const list = entry.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), tree);
  const entries = isTable(list) ? Object.values(list).filter(isTable) : [];
  return entries.flatMap((told) => {
    const [program, ...args] = commandLine(told);
    const isOurs = isNamed([program, ...args].join(" "));
    if (program === undefined || !isOurs) return [];
    const scripts = args.filter((word) => isAbsolute(word) && isNamed(word) && /\.[cm]?js$/.test(word));
    return [
      ...(findCommand(program, [], io.env.PATH) === undefined ? [program] : []),
      ...scripts.filter((script) => !existsSync(script)),
    ];
  });
}

/** Whether an entry starts this proxy, from whatever installation, or leads to its gateway. */
export function isOurEntry(entry: unknown, http: HttpPlan): boolean {
  if (!isTable(entry)) return false;
  const words = commandLine(entry);
  // `serve` follows in every stanza; a folder of such a name, given to some other program, is no sign.
  if (words.some((word, at) => isProgram(word) && (at === 0 || words[at + 1] === "serve"))) return true;
  const values = [...Object.values(entry), ...Object.values(isTable(entry.headers) ? entry.headers : {})];
  const texts = values.filter((value) => typeof value === "string");
  const isToken = (text: string) => text.split(/[^A-Za-z0-9_]+/).includes(http.tokenEnv);
  return texts.some((text) => text === gatewayUrl(http) || isToken(text));
}

/** Where a client on this machine reaches the gateway. */
export function gatewayUrl({ bind, port, path }: HttpPlan): string {
  // Of all addresses together the machine's own is the one that is always there.
  return addressOf(["0.0.0.0", "::"].includes(bind) ? "127.0.0.1" : bind, port, path);
}

/** What an entry leads to: a config, a workspace or both that the proxy is started for, or a gateway's address. */
export function reachOf(entry: unknown): string | undefined {
  if (!isTable(entry)) return undefined;
  const words = commandLine(entry);
  const started = words.filter((_word, at) => ["--config", "--workspace"].includes(words[at - 1] ?? ""));
  if (started.length > 0) return started.join(" in ");
  return Object.values(entry).find(
    (value): value is string => typeof value === "string" && /^https?:\/\//.test(value),
  );
}

/** A path to our script, in this or another installation, or the name of the command or the package. */
function isProgram(word: string): boolean {
  const steps = word.split(/[\\/]/);
  const script = executable.split(/[\\/]/).slice(-SCRIPT_STEPS);
  if (steps.slice(-SCRIPT_STEPS).join("/") === script.join("/")) return true;
  return /^lsp-proxy(@[\w.^~-]+|\.cmd|\.exe)?$/.test(steps.at(-1) ?? "");
}

/** The steps of a path that are the same wherever the package lies: `dist/cli/bin.js`. */
const SCRIPT_STEPS = 3;

function commandLine(entry: { readonly [key: string]: unknown }): string[] {
  const command = isTable(entry.command) ? entry.command.path : entry.command;
  return [command ?? [], entry.args ?? []].flat().filter((word) => typeof word === "string");
}

/** Whether a text speaks of this proxy. */
export function isNamed(text: string): boolean {
  return text.includes("lsp-proxy") || text.includes(executable);
}

/** Whether a person seems to have a client: its program, or the folder of one of its own files. */
export function isHere({ program, files }: ClientFacts, workspace: string, io: Surroundings): boolean {
  if (program !== undefined && findCommand(program, [], io.env.PATH, []) !== undefined) return true;
  return files.some((facts) => {
    const file = fileOf(facts, "user", workspace, io);
    return (
      file !== undefined && (existsSync(file) || (dirname(file) !== homeOf(io) && existsSync(dirname(file))))
    );
  });
}

function textOf(file: string): string | undefined {
  try {
    // A pipe that lies in a repository would be waited for, for ever.
    return statSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
  } catch {
    // A file that is not there, or not for us to read, says nothing of us.
    return undefined;
  }
}
