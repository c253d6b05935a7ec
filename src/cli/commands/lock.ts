/** `lock`: pins the programs of a folder's servers. A changed program is not started until it is locked again. */
import { realpathSync } from "node:fs";
import { homeOf } from "../../base/home.js";
import { canonicalPretty } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { diskFiles } from "../../config/files.js";
import { stateFolder } from "../../config/state-folder.js";
import {
  type LockedFolder,
  type LockedServer,
  lockedServer,
  lockFileIn,
  RECORD_VERSION,
  readLocks,
} from "../../lsp/process/lock.js";
import { type Command, exitCodes, failure, type Io } from "../command.js";
import { withStateLock } from "../files/state-lock.js";
import { bundleFlags, configFlags, toggle } from "../flags.js";
import { programContext } from "../folder-trust.js";
import { loadFrom } from "../open.js";

export const lock: Command = {
  name: "lock",
  summary: "Pins the programs of the language servers by real path and digest.",
  usage: "[--config FILE | --bundle DIR] [--list | --remove]",
  description:
    "Records how each server is started, and the real path and SHA-256 of its program and of every file that\n" +
    "its command line and variables name.\n" +
    "After that, a program that is new, changed, moved or started in another way is refused until it is locked again.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    list: toggle("Lists what is locked, in every folder."),
    remove: toggle("Unlocks the folder; a damaged record is deleted."),
  },
  examples: ["lsp-proxy lock", "lsp-proxy lock --config lspi.toml", "lsp-proxy lock --list"],
  async run(input, io) {
    const file = lockFileIn(stateFolder(io.env, homeOf(io.env)));
    const isRemoval = input.isOn("remove");
    const known = readUndamaged(file);
    if (known === undefined && !isRemoval)
      return failure(io, `\`${file}\` is damaged; \`lsp-proxy lock --remove\` deletes it`);
    if (input.isOn("list")) return list(known ?? [], io);
    const { loaded, base, ...programs } = await loadFrom(input, io);
    const folder = realpathSync.native(base);
    if (isRemoval) return withStateLock(io, () => remove(file, folder, io));
    const { plan } = loaded;
    const context = programContext(plan, base, programs, io);
    const servers: LockedServer[] = [];
    const lines: string[] = [];
    for (const server of plan.servers) {
      try {
        const locked = await lockedServer(plan, server, context);
        servers.push(locked);
        if (locked.files.length === 0) lines.push(`locked ${server.id}  which runs elsewhere`);
        for (const { path, digest } of locked.files) lines.push(`locked ${server.id}  ${path}  ${digest}`);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        failure(io, `not locked: ${error.message} (${error.code})`);
      }
    }
    await withStateLock(io, () => {
      const others = readLocks(file).filter((entry) => entry.folder !== folder);
      write(file, [...others, { folder, servers }]);
    });
    for (const line of lines) io.stdout.writeLine(line);
    return servers.length === plan.servers.length ? exitCodes.ok : exitCodes.no;
  },
};

function list(folders: readonly LockedFolder[], io: Io) {
  for (const { folder, servers } of folders) {
    io.stdout.writeLine(folder);
    for (const { server, files } of servers)
      for (const { path, digest } of files) io.stdout.writeLine(`  ${server}  ${path}  ${digest}`);
  }
  if (folders.length === 0) io.stdout.writeLine("nothing is locked");
  return exitCodes.ok;
}

function remove(file: string, folder: string, io: Io) {
  const known = readUndamaged(file) ?? [];
  const rest = known.filter((entry) => entry.folder !== folder);
  write(file, rest);
  const wasLocked = rest.length < known.length;
  io.stdout.writeLine(`${folder} ${wasLocked ? "is no longer" : "was not"} locked`);
  return wasLocked ? exitCodes.ok : exitCodes.no;
}

/** The record, or undefined when it is damaged. */
function readUndamaged(file: string): LockedFolder[] | undefined {
  try {
    return readLocks(file);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function write(file: string, folders: readonly LockedFolder[]): void {
  const sorted = sortBy(folders, ({ folder }) => [folder]);
  diskFiles.replace(file, canonicalPretty({ version: RECORD_VERSION, folders: sorted }));
}
