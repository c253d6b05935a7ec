/** The files of MCP clients on this machine. Which there are is data. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { isTable } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import {
  type ClientFacts,
  type ClientFileFacts,
  type ClientPaths,
  clientPaths,
  readClients,
  type Scope,
} from "../config/clients.js";
import { diskFiles } from "../config/files.js";
import { readOther } from "../config/read.js";
import { findCommand } from "../lsp/program.js";
import { homeOf, type Surroundings, UsageError } from "./command.js";
import { executable, shippedConfigs } from "./shipped.js";

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
    const command = isTable(told.command) ? told.command.path : told.command;
    const [program, ...args] = [command ?? [], told.args ?? []]
      .flat()
      .filter((word) => typeof word === "string");
    const isOurs = isNamed([program, ...args].join(" "));
    if (program === undefined || !isOurs) return [];
    const scripts = args.filter((word) => isAbsolute(word) && isNamed(word) && /\.[cm]?js$/.test(word));
    return [
      ...(findCommand(program, [], io.env.PATH) === undefined ? [program] : []),
      ...scripts.filter((script) => !existsSync(script)),
    ];
  });
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
    return readFileSync(file, "utf8");
  } catch {
    // A file that is not there, or not for us to read, says nothing of us.
    return undefined;
  }
}
