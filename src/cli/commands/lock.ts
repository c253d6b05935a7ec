/** `lock`: pins the programs of a folder's servers; what changes afterwards is not started until it is locked again. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
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
import { type Command, exitCodes, isOn, type Surroundings } from "../command.js";
import { whileLocked } from "../files/state-lock.js";
import { configFlags } from "../flags.js";
import { bundleFlags, loadFrom } from "../open.js";
import { programContext } from "../trial/program-context.js";

export const lock: Command = {
  name: "lock",
  summary: "Pins the programs of the language servers by real path and digest.",
  usage: "[--config FILE | --bundle DIR] [--list | --remove]",
  description:
    "Records, for the config's folder, how each server is started (words, folder, variables) and the real path and SHA-256\n" +
    "of its program and of every file that these name. From then on a program that changed, lies elsewhere, is started in\n" +
    "another way or is new is refused there until it is locked again. The\n" +
    "record stands in the user's state folder, where no workspace can write it.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    list: { type: "boolean", description: "Lists what is locked, in every folder." },
    remove: { type: "boolean", description: "Unlocks the folder; a damaged record is removed whole." },
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy lock", "lsp-proxy lock --config lspi.toml", "lsp-proxy lock --list"],
  async run(input, io) {
    const file = lockFileIn(stateFolder(io.env, io.env.HOME ?? homedir()));
    const isRemoval = isOn(input, "remove");
    const known = readable(file);
    if (known === undefined && !isRemoval) {
      io.stderr.write(`lsp-proxy: \`${file}\` is damaged; \`lsp-proxy lock --remove\` removes it\n`);
      return exitCodes.no;
    }
    if (isOn(input, "list")) return list(known ?? [], io);
    const { loaded, base, ...programs } = await loadFrom(input, io);
    const folder = realpathSync(base);
    if (isRemoval) return whileLocked(io, () => remove(file, readable(file) ?? [], folder, io));
    const { plan } = loaded;
    const context = programContext(plan, base, programs, io);
    const servers: LockedServer[] = [];
    let isWhole = true;
    for (const server of plan.servers) {
      try {
        const locked = await lockedServer(plan, server, context);
        servers.push(locked);
        if (locked.files.length === 0) io.stdout.write(`locked ${server.id}  which runs elsewhere\n`);
        for (const { path, digest } of locked.files)
          io.stdout.write(`locked ${server.id}  ${path}  ${digest}\n`);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        isWhole = false;
        io.stderr.write(`lsp-proxy: not locked: ${error.message} (${error.code})\n`);
      }
    }
    await whileLocked(io, () => {
      const others = readLocks(file).filter((entry) => entry.folder !== folder);
      write(file, [...others, { folder, servers }]);
    });
    return isWhole ? exitCodes.ok : exitCodes.no;
  },
};

function list(folders: readonly LockedFolder[], io: Surroundings) {
  for (const { folder, servers } of folders) {
    io.stdout.write(`${folder}\n`);
    for (const { server, files } of servers)
      for (const { path, digest } of files) io.stdout.write(`  ${server}  ${path}  ${digest}\n`);
  }
  if (folders.length === 0) io.stdout.write("nothing is locked\n");
  return exitCodes.ok;
}

function remove(file: string, known: readonly LockedFolder[], folder: string, io: Surroundings) {
  const rest = known.filter((entry) => entry.folder !== folder);
  write(file, rest);
  const isKnown = rest.length < known.length;
  io.stdout.write(isKnown ? `${folder} is no longer locked\n` : `${folder} was not locked\n`);
  return isKnown ? exitCodes.ok : exitCodes.no;
}

/** What a record says, or undefined when it is damaged. */
function readable(file: string): LockedFolder[] | undefined {
  try {
    return readLocks(file);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function write(file: string, folders: readonly LockedFolder[]): void {
  const sorted = sortBy([...folders], ({ folder }) => [folder]);
  diskFiles.replace(file, canonicalPretty({ version: RECORD_VERSION, folders: sorted.map(plain) }));
}

/** The entry as bare data. */
function plain({ folder, servers }: LockedFolder) {
  return {
    folder,
    servers: servers.map(({ server, start, files }) => ({
      ...{ server, start },
      files: files.map((file) => ({ ...file })),
    })),
  };
}
