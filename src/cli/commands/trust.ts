/** `trust`: records that a person has read a workspace's config and lets it, and the code in the folder, be run. */
import { ConfigError } from "../../base/problem.js";
import { trustNames } from "../../config/discover.js";
import { diskFiles } from "../../config/files.js";
import { inspectDiscovered } from "../../config/load.js";
import {
  addTrusted,
  addTrustedFolder,
  listTrusted,
  openTrust,
  removeTrusted,
  removeTrustedFolder,
  type Trust,
} from "../../config/trust/trust.js";
import { everyDefault } from "../../plan/defaults.js";
import { type Command, exitCodes, homeOf, type Input, isOn, type Surroundings } from "../command.js";
import { workspaceOf } from "../compile.js";
import { whileLocked } from "../files/state-lock.js";
import { shippedConfigs } from "../shipped.js";
import { agrees, isInteractive } from "../terminal/ask.js";
import { visible } from "../terminal/width.js";

/** What trust in a folder lets happen, whatever its config says, and whatever comes into it later. */
const UNLOCKED = [
  "language servers in its node_modules/.bin may be started",
  "packages, plugins, configuration files and build scripts in it may run as code, with your rights",
  "this holds for the folder as it will be, too",
];

export const trust: Command = {
  name: "trust",
  summary: "Trusts a workspace: its config as it is now, and its code, which language servers may run.",
  usage: "[--workspace DIR] [--yes | --list | --remove]",
  description:
    "A config that was found in a workspace may start programs only after you have read it and said so here. It is recorded\n" +
    "by its hash: when it changes, it must be trusted again. What it would start and say is shown first, and you are asked.\n" +
    "The folder is trusted with it, by its path: many language servers run code of the project that they read, such as its\n" +
    "build scripts, the plugins that its configuration names and the packages in it, and are not started before.",
  flags: {
    workspace: {
      type: "string",
      short: "w",
      value: "DIR",
      description: "The workspace; the current folder when absent.",
    },
    list: { type: "boolean", description: "Lists what is trusted." },
    remove: { type: "boolean", description: "Takes the trust back, also of a config that is gone." },
    yes: {
      type: "boolean",
      short: "y",
      description: "Records it without asking; needed where nobody can be asked.",
    },
  },
  words: { min: 0, max: 0 },
  examples: [
    "lsp-proxy trust",
    "lsp-proxy trust --list",
    "lsp-proxy trust --remove --workspace ~/old-project",
  ],
  async run(input, io) {
    const home = homeOf(io);
    const store = openTrust(io.env, home);
    if (isOn(input, "list")) return list(store, io);
    const workspace = workspaceOf(input, io);
    if (isOn(input, "remove")) {
      const known = await whileLocked(io, () => [
        removeTrusted(store, ...trustNames(workspace, diskFiles)),
        removeTrustedFolder(store, workspace),
      ]);
      io.stdout.write(`${visible(workspace)} ${known.includes(true) ? "is no longer" : "was not"} trusted\n`);
      return known.includes(true) ? exitCodes.ok : exitCodes.no;
    }
    const request = {
      workspace,
      env: io.env,
      home,
      shipped: shippedConfigs,
      defaults: everyDefault(),
      commandLine: {},
    };
    const found = inspectDiscovered(request, diskFiles);
    if (found) {
      if (found.problems.length > 0) throw new ConfigError(found.problems);
      io.stdout.write(`${visible(found.file)}\n`);
      for (const program of found.grants.starts) io.stdout.write(`  it may start ${visible(program)}\n`);
      for (const wish of found.grants.asks) io.stdout.write(`  it asks for ${visible(wish)}\n`);
      for (const setting of found.grants.settings) io.stdout.write(`    ${visible(setting)}\n`);
      for (const { message, pointer } of found.held)
        io.stdout.write(`  even then ${visible(pointer)}: ${visible(message)}\n`);
    }
    io.stdout.write(`${visible(workspace)}\n${UNLOCKED.map((line) => `  ${line}\n`).join("")}`);
    if (!(await isWanted(input, io))) return exitCodes.no;
    await whileLocked(io, () => {
      if (found) addTrusted(store, found.file, found.hash);
      addTrustedFolder(store, workspace);
    });
    io.stdout.write(found ? "trusted, the config as it was shown\n" : "trusted\n");
    return exitCodes.ok;
  },
};

/** Whether a person who has seen it says yes. Where nobody can be asked, only the flag does. */
async function isWanted(input: Input, io: Surroundings): Promise<boolean> {
  if (isOn(input, "yes")) return true;
  if (isInteractive(io)) return agrees(io, "Trust this?", false);
  io.stderr.write("nothing was recorded: nobody can be asked here; --yes trusts what is shown\n");
  return false;
}

function list(store: Trust, io: Surroundings) {
  const { configs, folders } = listTrusted(store);
  for (const { file, hash } of configs) io.stdout.write(`config  ${visible(file)}  ${hash}\n`);
  for (const folder of folders) io.stdout.write(`folder  ${visible(folder)}\n`);
  if (configs.length + folders.length === 0) io.stdout.write("nothing is trusted\n");
  return exitCodes.ok;
}
