/** `init`: detects the languages of the workspace and writes a config for them. */
import { basename, resolve } from "node:path";
import { sortedSet } from "../../base/order.js";
import { plural } from "../../base/words.js";
import { claimsHere, outsideStacks, type Proposal } from "../../config/catalogue/detect.js";
import { languageNamed } from "../../config/catalogue/language-names.js";
import { type Command, didYouMean, exitCodes, failure, type Input, type Io, UsageError } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { detectServers } from "../detect-servers.js";
import { configText, type Found, installs, languagesText, loadsOf, membersOf } from "../files/config-text.js";
import { isConfigOf, mayCreateConfig, NEW_CONFIG, userListHint } from "../files/edit-config.js";
import { guardedFolders } from "../files/link-guard.js";
import { configFor } from "../files/new-config.js";
import { checkUserFile, writeUserFile } from "../files/user-file.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { programsOf } from "../installed.js";
import { openCatalogue, presenceText } from "../presets.js";
import { table } from "../terminal/layout.js";
import type { Printed } from "../terminal/output.js";
import { askUntil, isInteractive, parseSelection } from "../terminal/prompt.js";
import { some } from "../terminal/text.js";
import { inspectTrust, keepOrAskTrust } from "../trust-workspace.js";

export const init: Command = {
  name: "init",
  summary: "Detects the workspace's languages and writes a short config.",
  usage: "[--workspace DIR] [--yes]",
  description:
    "Proposes a server for each language of the workspace and shows which are installed. On a terminal it asks which to use;\n" +
    "elsewhere it uses all installed ones. For the others it shows the command that installs them.",
  flags: {
    workspace: configFlags.workspace,
    "trust-workspace": toggle("Also searches the workspace's node_modules/.bin for servers."),
    output: withDefault(option("FILE", "The file to write, JSON if it ends in .json.", "o"), "lspi.toml"),
    only: {
      ...option("NAME", "Uses only this language or server, installed or not; may be repeated."),
      multiple: true,
    },
    all: toggle("Also uses servers that are not installed."),
    yes: toggle("Asks nothing.", "y"),
    force: toggle("Replaces an existing file."),
    "dry-run": toggle("Prints the config instead of writing it."),
  },
  examples: ["lsp-proxy init --yes --only python --only rust", "lsp-proxy init --dry-run --all"],
  async run(input, io) {
    const workspace = workspaceFolder(input, io, true);
    const file = resolve(workspace, input.text("output") ?? NEW_CONFIG);
    const isDry = input.isOn("dry-run");
    if (!isDry) {
      if (!mayCreateConfig(file, workspace, input, io)) return exitCodes.no;
      checkUserFile(file, guardedFolders(input, io));
    }
    const catalogue = openCatalogue();
    const found = await detectServers(workspace, catalogue, input, io);
    if (found.proposals.length === 0) {
      const where = found.scan.cut ? "the scanned part of the workspace" : "the workspace";
      return failure(io, `${where} has no file for a server of the catalogue; see \`lsp-proxy servers\``);
    }
    io.stderr.write(proposalTable(found, io.stderr.columns));
    const taken = await choose(found, input, io);
    if (taken === undefined) return failure(io, "nothing was written");
    if (taken.size === 0)
      return failure(
        io,
        "no server was chosen, so nothing was written. `lsp-proxy install` installs what the workspace needs; --all writes servers that are not installed",
      );
    const text = configFor(file, configText(basename(workspace), found, taken));
    if (isDry) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    const before = isConfigOf(file, workspace) ? inspectTrust(workspace, io) : undefined;
    writeUserFile(file, text, guardedFolders(input, io));
    const chosen = found.proposals.filter(({ preset }) => taken.has(preset.id));
    const used = outsideStacks(chosen, found.scan);
    const members = used.flatMap(membersOf);
    io.stdout.writeLine(`wrote ${file} with ${plural(members.length, "server")}`);
    io.stdout.write(userListHint(programsOf(members), io));
    const missing = found.proposals.filter(
      (proposal) => !(taken.has(proposal.preset.id) || isHere(proposal, found)),
    );
    for (const proposal of missing)
      for (const { id } of membersOf(proposal))
        io.stdout.writeText(
          `not served: ${languagesText(found.languages(proposal))}, ${plural(proposal.files, "file")}. \`lsp-proxy install ${id}\` installs a server, \`lsp-proxy add ${id}\` adds it\n`,
        );
    const steps = used
      .filter((proposal) => !isHere(proposal, found))
      .flatMap(membersOf)
      .map(({ id }) => `\`lsp-proxy install ${id}\`, `)
      .join("");
    if (before) await keepOrAskTrust(before, { file, text }, io, !input.isOn("yes"));
    io.stdout.writeLine(`next: ${steps}\`lsp-proxy doctor\` (tries it out)`);
  },
};

function proposalTable(found: Found, width: number | undefined): Printed {
  const { scan, proposals } = found;
  const rows = proposals.map((proposal, index) => [
    `${index + 1}`,
    languagesText(found.languages(proposal)),
    `${proposal.files}${scan.cut ? "+" : ""}`,
    some(claimsHere(proposal, scan), 4),
    proposal.stack ? `stacks/${proposal.stack.name}` : proposal.preset.id,
    presenceText(found.presence(proposal), installs(proposal), loadsOf(proposal)),
  ]);
  const cut = scan.cut ? "The workspace is large: only a part of it was counted.\n" : "";
  return [...table(["#", "languages", "files", "as", "server", "here"], rows, width), cut];
}

function isHere(proposal: Proposal, { presence }: Found): boolean {
  return !["missing", "incomplete"].includes(presence(proposal));
}

/** The ids of the servers to use, by flags or by asking on a terminal. Undefined when the user leaves. */
async function choose(found: Found, input: Input, io: Io): Promise<ReadonlySet<string> | undefined> {
  const { proposals } = found;
  const ids = (chosen: readonly Proposal[]) => new Set(chosen.map(({ preset }) => preset.id));
  const only = input.texts("only");
  if (only.length > 0) return ids(only.flatMap((name) => named(name, found)));
  const usual = proposals.filter((proposal) => input.isOn("all") || isHere(proposal, found));
  if (input.isOn("yes") || input.isOn("dry-run") || !isInteractive(io)) return ids(usual);
  const numbers = usual.map((proposal) => proposals.indexOf(proposal) + 1).join(" ") || "none";
  const question = `Which to use? Numbers (1 3-5), all, none, or Enter for those that are here (${numbers}): `;
  return askUntil(io, question, (answer) => {
    if (answer === "") return ids(usual);
    const selection = parseSelection(answer, proposals.length);
    if ("picked" in selection) return ids(proposals.filter((_, index) => selection.picked.has(index + 1)));
    io.stderr.writeLine(`\`${selection.unknown}\` is not a number from 1 to ${proposals.length}`);
    return undefined;
  });
}

/** The proposals that `--only NAME` means. Throws a UsageError when there are none. */
export function named(name: string, { proposals, languages }: Found): Proposal[] {
  const word = languageNamed(name);
  const languagesOf = (proposal: Proposal) => languages(proposal).map(({ language }) => language);
  const matching = proposals.filter(
    (proposal) =>
      [proposal.preset.id, ...(proposal.preset.kinds ?? [])].includes(name) ||
      [...languagesOf(proposal), ...(proposal.preset.languages ?? [])].includes(word),
  );
  if (matching.length > 0) return matching;
  const known = sortedSet(proposals.flatMap((proposal) => [proposal.preset.id, ...languagesOf(proposal)]));
  const hint = didYouMean(name, known) || ".";
  throw new UsageError(
    `--only ${name}: nothing was found here for it${hint} It takes ${some(known, 12)}; \`lsp-proxy add\` takes any server`,
  );
}
