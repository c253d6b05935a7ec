/** `init`: looks at the workspace and writes a commented config for what is in it. */
import { basename, resolve } from "node:path";
import { sortBy, sortedSet } from "../../base/order.js";
import {
  filesOf,
  type Proposal,
  proposeServers,
  scanWorkspace,
  type WorkspaceScan,
} from "../../config/detect.js";
import { diskFiles } from "../../config/files.js";
import { ask, isInteractive } from "../ask.js";
import {
  type Command,
  exitCodes,
  type Input,
  isOn,
  type Surroundings,
  textFlag,
  textFlags,
} from "../command.js";
import { workspaceOf } from "../compile.js";
import { configText } from "../config-text.js";
import { mayBegin, NEW_CONFIG } from "../edit-config.js";
import { configFlags } from "../flags.js";
import { installLine } from "../install-line.js";
import { installedHere, openCatalogue } from "../presets.js";
import { withProgress } from "../progress.js";
import { some, table } from "../table.js";
import { checkUserFile, writeUserFile } from "../user-file.js";

export const init: Command = {
  name: "init",
  summary: "Looks at the workspace and writes a commented config for it.",
  usage: "[--workspace DIR] [--yes]",
  description:
    "Looks for the languages of the workspace (what git ignores is not looked at), picks a server for each and marks those\n" +
    "that are installed here. On a terminal it asks which to take; elsewhere it takes all that are installed. Servers that\n" +
    "are not installed are written as comments with their install line. It never replaces a file unless told to.",
  flags: {
    workspace: configFlags.workspace as Command["flags"][string],
    "trust-workspace": {
      type: "boolean",
      description: "Also looks for servers in the workspace's node_modules/.bin.",
    },
    output: {
      type: "string",
      short: "o",
      value: "FILE",
      description: "The file to write; lspi.toml when absent.",
    },
    only: {
      type: "string",
      value: "NAME",
      multiple: true,
      description: "Takes only this language or server; may be given several times.",
    },
    all: { type: "boolean", description: "Takes servers that are not installed as well." },
    yes: { type: "boolean", short: "y", description: "Asks nothing." },
    force: { type: "boolean", description: "Replaces the file when there is one." },
    "dry-run": { type: "boolean", description: "Prints the config instead of writing it." },
  },
  words: { min: 0, max: 0 },
  examples: [
    "lsp-proxy init",
    "lsp-proxy init --yes --only python --only rust",
    "lsp-proxy init --dry-run --all",
  ],
  async run(input, io) {
    const workspace = workspaceOf(input, io);
    const file = resolve(workspace, textFlag(input, "output") ?? NEW_CONFIG);
    const isDry = isOn(input, "dry-run");
    if (!isDry) {
      if (!mayBegin(file, workspace, input, io)) return exitCodes.no;
      checkUserFile(file);
    }
    const { scan, proposals } = await withProgress(io, "looking at the workspace", async () =>
      look(input, io),
    );
    if (proposals.length === 0) {
      io.stderr.write(
        "lsp-proxy: nothing here that a server of the catalogue handles; see `lsp-proxy servers`\n",
      );
      return exitCodes.no;
    }
    io.stderr.write(found(proposals, scan));
    const taken = await choose(proposals, input, io);
    if (taken === undefined) {
      io.stderr.write("\nlsp-proxy: nothing was written\n");
      return exitCodes.no;
    }
    const text = configText(basename(workspace), proposals, taken, scan, openCatalogue());
    if (isDry) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    writeUserFile(file, text);
    io.stdout.write(`wrote ${file} with ${taken.size} server${taken.size === 1 ? "" : "s"}\n`);
    io.stdout.write("next: `lsp-proxy trust` (lets it start programs), `lsp-proxy doctor` (tries it out)\n");
    return exitCodes.ok;
  },
};

/** What is here and who would serve it, the most files first. */
function look(input: Input, io: Surroundings): { scan: WorkspaceScan; proposals: Proposal[] } {
  const scan = scanWorkspace(workspaceOf(input, io), diskFiles);
  const isHere = installedHere(input, io);
  const proposals = proposeServers(scan, openCatalogue().facts(), isHere, { missing: true });
  return { scan, proposals: sortBy(proposals, ({ files, preset }) => [-files, preset.id]) };
}

function found(proposals: readonly Proposal[], scan: WorkspaceScan): string {
  const rows = proposals.map(({ preset, files, claims, installed }, index) => [
    `${index + 1}`,
    some(preset.languages ?? [], 3),
    `${files}`,
    some(sortedSet(claims.filter((claim) => filesOf(claim, scan) > 0)), 4),
    preset.id,
    installed ? "installed" : `not installed: ${installLine(preset)}`,
  ]);
  const cut = scan.cut ? "The workspace is large: only a part of it was counted.\n" : "";
  return `${table(["#", "languages", "files", "as", "server", "here"], rows)}${cut}`;
}

/** The ids of the servers to take: asked on a terminal, else those that are installed or that a flag names. Undefined when the person left. */
async function choose(
  proposals: readonly Proposal[],
  input: Input,
  io: Surroundings,
): Promise<ReadonlySet<string> | undefined> {
  const only = textFlags(input, "only");
  const isMeant = ({ preset }: Proposal) =>
    only.length === 0 || only.some((name) => name === preset.id || (preset.languages ?? []).includes(name));
  const usual = proposals.filter(isMeant).filter(({ installed }) => installed || isOn(input, "all"));
  const ids = (chosen: readonly Proposal[]) => new Set(chosen.map(({ preset }) => preset.id));
  if (isOn(input, "yes") || isOn(input, "dry-run") || only.length > 0 || !isInteractive(io))
    return ids(usual);
  const numbers = usual.map((proposal) => proposals.indexOf(proposal) + 1).join(" ");
  const answer = await ask(
    io,
    `Which to take? Numbers, or Enter for those installed (${numbers || "none"}): `,
  );
  if (answer === undefined) return undefined;
  if (answer === "") return ids(usual);
  const wanted = answer.split(/[\s,]+/).map(Number);
  return ids(proposals.filter((_, index) => wanted.includes(index + 1)));
}
