/**
 * `install`: installs language servers into our own folder; a command that changes the system runs only after a
 * confirmation.
 */

import { homeOf } from "../../base/home.js";
import { plural } from "../../base/words.js";
import { neededProposals } from "../../config/catalogue/detect.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { serversFolder } from "../../config/state-folder.js";
import { type Command, type ExitCode, exitCodes, type Input, type Io, printJson } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { detectServers } from "../detect-servers.js";
import { membersOf } from "../files/config-text.js";
import { configFlags, toggle } from "../flags.js";
import { installByWays } from "../install/install-ways.js";
import { managedServers, sizeOf } from "../install/managed.js";
import { findInstalled, openCatalogue, presenceText, presetNamed, resolvePreset } from "../presets.js";
import { table } from "../terminal/layout.js";
import { bytesText } from "../terminal/text.js";

export const install: Command = {
  name: "install",
  summary: "Installs language servers into the data folder of lsp-proxy.",
  usage: "[SERVER...] [--yes]",
  description:
    "Installs servers by name or language; without a name those that the workspace needs. They are installed into\n" +
    "~/.local/share/lsp-proxy/servers (XDG_DATA_HOME), never into the project. A command that changes the system is shown\n" +
    "first, and run only if you confirm it. Exits with 1 when a server could not be installed.",
  flags: {
    workspace: configFlags.workspace,
    "trust-workspace": configFlags["trust-workspace"],
    list: toggle("Lists the installed servers with version and size."),
    yes: toggle("Also runs commands that change the system, without asking.", "y"),
    json: toggle("With --list: prints JSON."),
  },
  words: { min: 0, max: 100 },
  completes: "servers",
  examples: ["lsp-proxy install", "lsp-proxy install pyright bash", "lsp-proxy install --list"],
  async run(input, io) {
    if (input.isOn("list")) return list(input, io);
    const facts = openCatalogue().facts();
    const named = input.words.map(
      (word) => presetNamed(word, facts) ?? resolvePreset(word, facts, () => "missing"),
    );
    const presets = input.words.length > 0 ? named : await neededHere(input, io);
    if (presets.length === 0) {
      io.stdout.write("every server that the workspace needs is installed\n");
      return exitCodes.ok;
    }
    let code: ExitCode = exitCodes.ok;
    for (const preset of new Set(presets)) {
      if (!(await installOne(preset, input, io))) code = exitCodes.no;
    }
    return code;
  },
};

/** Installs a server unless it is there. Returns whether it is there in the end. */
export async function installOne(preset: PresetFacts, input: Input, io: Io): Promise<boolean> {
  const presence = async () => (await findInstalled([preset], input, io))(preset);
  const before = await presence();
  if (before === "installed") {
    io.stdout.write(`${preset.id} is already installed\n`);
    return true;
  }
  // A managed copy needs no trust, so install it anyway.
  if (before === "untrusted") io.stdout.write(`${preset.id} is ${presenceText(before)}\n`);
  if (!(await installByWays(preset, input, io))) return false;
  const after = await presence();
  if (after === "installed") return true;
  const advice = after === "missing" ? "open a new shell, or add its folder to PATH" : "";
  io.stdout.write(`${preset.id} is ${presenceText(after, advice, preset.loads)}\n`);
  return after === "untrusted";
}

/** The servers that the workspace needs and that are not installed. */
async function neededHere(input: Input, io: Io): Promise<PresetFacts[]> {
  const found = await detectServers(workspaceFolder(input, io), openCatalogue(), input, io);
  const needed = neededProposals(found.proposals, found.languages);
  const missing = needed.filter((proposal) => ["missing", "incomplete"].includes(found.presence(proposal)));
  const presets = missing.flatMap(membersOf);
  const presence = await findInstalled(presets, input, io);
  return presets.filter((preset) => presence(preset) !== "installed");
}

function list(input: Input, io: Io): ExitCode {
  const servers = managedServers(serversFolder(io.env, homeOf(io.env))).map((server) => ({
    ...server,
    bytes: sizeOf(server.path),
  }));
  if (input.isOn("json")) printJson(io, { servers });
  else if (servers.length === 0) io.stdout.write("no server is installed by `lsp-proxy install`\n");
  else {
    const rows = servers.map(({ id, version, by, bytes, path }) => [id, version, by, bytesText(bytes), path]);
    io.stdout.write(table(["server", "version", "from", "size", "folder"], rows, io.stdout.columns));
    const total = servers.reduce((sum, { bytes }) => sum + bytes, 0);
    io.stdout.write(`\n${plural(servers.length, "server")}, ${bytesText(total)}\n`);
  }
  return exitCodes.ok;
}
