/** `trust`: records that a person has read a workspace's config and lets it, and its node_modules, start programs. */
import { ConfigError } from "../../base/problem.js";
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
} from "../../config/trust.js";
import { type Command, exitCodes, homeOf, isOn, type Surroundings } from "../command.js";
import { workspaceOf } from "../compile.js";
import { shippedConfigs } from "../shipped.js";

export const trust: Command = {
  name: "trust",
  summary: "Trusts a workspace: its config as it is now, and its node_modules/.bin.",
  usage: "[--workspace DIR] [--list | --remove]",
  description:
    "A config that was found in a workspace may start programs only after you have read it and said so here. It is recorded\n" +
    "by its hash: when it changes, it must be trusted again. What it would start is shown.",
  flags: {
    workspace: {
      type: "string",
      short: "w",
      value: "DIR",
      description: "The workspace; the current folder when absent.",
    },
    list: { type: "boolean", description: "Lists what is trusted." },
    remove: { type: "boolean", description: "Takes the trust back." },
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
    const request = { workspace, env: io.env, home, shipped: shippedConfigs, commandLine: {} };
    const found = inspectDiscovered(request, diskFiles);
    if (isOn(input, "remove")) {
      const known = [found ? removeTrusted(store, found.file) : false, removeTrustedFolder(store, workspace)];
      io.stdout.write(
        known.includes(true) ? `${workspace} is no longer trusted\n` : `${workspace} was not trusted\n`,
      );
      return known.includes(true) ? exitCodes.ok : exitCodes.no;
    }
    if (found) {
      if (found.problems.length > 0) throw new ConfigError(found.problems);
      addTrusted(store, found.file, found.hash);
      io.stdout.write(`trusted ${found.file} as it is now\n`);
      for (const program of found.grants.starts) io.stdout.write(`  it may start ${program}\n`);
      for (const wish of found.grants.asks) io.stdout.write(`  it asks for ${wish}\n`);
    }
    addTrustedFolder(store, workspace);
    io.stdout.write(`trusted ${workspace}: language servers in its node_modules/.bin may be started\n`);
    return exitCodes.ok;
  },
};

function list(store: Trust, io: Surroundings) {
  const { configs, folders } = listTrusted(store);
  for (const { file, hash } of configs) io.stdout.write(`config  ${file}  ${hash}\n`);
  for (const folder of folders) io.stdout.write(`folder  ${folder}\n`);
  if (configs.length + folders.length === 0) io.stdout.write("nothing is trusted\n");
  return exitCodes.ok;
}
