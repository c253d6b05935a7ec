/** `init`: looks at the workspace and writes a commented config for what is in it. */
import { basename, resolve } from "node:path";
import { nearest } from "../../base/nearest.js";
import { sortBy, sortedSet } from "../../base/order.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import {
  besideStacks,
  claimsHere,
  claimsOf,
  languagesHere,
  type Proposal,
  proposeServers,
  type Stack,
  servesAny,
} from "../../config/catalogue/detect.js";
import { languageNamed } from "../../config/catalogue/language-names.js";
import { type PresetFacts, presetFacts } from "../../config/catalogue/preset-index.js";
import { buildLanguages } from "../../plan/servers.js";
import { scanInTurns, type WorkspaceScan } from "../../workspace/scan.js";
import { walkedDisk } from "../../workspace/walk.js";
import {
  type Command,
  type ExitCode,
  exitCodes,
  homeOf,
  type Input,
  isOn,
  type Surroundings,
  textFlag,
  textFlags,
  UsageError,
} from "../command.js";
import { workspaceFolder } from "../compile.js";
import { configText, type Found, installs, languagesText, loadsOf } from "../files/config-text.js";
import { mayBegin, NEW_CONFIG } from "../files/edit-config.js";
import { checkUserFile, writeUserFile } from "../files/user-file.js";
import { lackingText } from "../files/user-list.js";
import { configFlags } from "../flags.js";
import { lookAround, openCatalogue, presenceText } from "../presets.js";
import { askUntil, isInteractive } from "../terminal/ask.js";
import { withProgress } from "../terminal/progress.js";
import { readSelection } from "../terminal/selection.js";
import { some, table } from "../terminal/table.js";

export const init: Command = {
  name: "init",
  summary: "Looks at the workspace and writes a commented config for it.",
  usage: "[--workspace DIR] [--yes]",
  description:
    "Looks for the languages of the workspace (what git ignores is not looked at), picks a server for each and marks those\n" +
    "that are installed here. On a terminal it asks which to take; elsewhere it takes all that are here. Servers that are\n" +
    "not are written as comments with their install line. It never replaces a file unless told to, and writes none without\n" +
    "a server.",
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
      description: "Takes only this language or server, installed or not; may be given several times.",
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
    const workspace = workspaceFolder(input, io);
    const file = resolve(workspace, textFlag(input, "output") ?? NEW_CONFIG);
    const isDry = isOn(input, "dry-run");
    if (!isDry) {
      if (!mayBegin(file, workspace, input, io)) return exitCodes.no;
      checkUserFile(file);
    }
    const catalogue = openCatalogue();
    const found = await look(workspace, catalogue, input, io);
    if (found.proposals.length === 0) return nothing(found.scan, io);
    io.stderr.write(foundText(found));
    const taken = await choose(found, input, io);
    if (taken === undefined || taken.size === 0) {
      io.stderr.write(taken === undefined ? "lsp-proxy: nothing was written\n" : NONE_TAKEN);
      return exitCodes.no;
    }
    const text = configText(basename(workspace), found, taken, catalogue);
    if (isDry) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    writeUserFile(file, text);
    const used = besideStacks(
      found.proposals.filter(({ preset }) => taken.has(preset.id)),
      found.scan,
    );
    const members = used.flatMap(({ preset, stack }) => stack?.members ?? [preset]);
    io.stdout.write(`wrote ${file} with ${members.length} server${members.length === 1 ? "" : "s"}\n`);
    io.stdout.write(
      lackingText(
        members.flatMap(({ command }) => [command ?? []].flat().slice(0, 1)),
        io,
      ),
    );
    const steps = used
      .filter((proposal) => ["missing", "incomplete"].includes(found.presence(proposal)))
      .flatMap(({ preset, stack }) => stack?.members ?? [preset])
      .map(({ id }) => `\`lsp-proxy install ${id}\`, `)
      .join("");
    io.stdout.write(
      `next: \`lsp-proxy trust\` (lets it start programs), ${steps}\`lsp-proxy doctor\` (tries it out)\n`,
    );
    return exitCodes.ok;
  },
};

const NONE_TAKEN =
  "lsp-proxy: no server was taken, so nothing was written; `lsp-proxy install SERVER` shows how to get one, --all takes\n" +
  "those that are not installed as well, and `lsp-proxy add` adds one to a config\n";

function nothing({ cut }: WorkspaceScan, io: Surroundings): ExitCode {
  const why = cut ? "in the part of the workspace that was looked at, nothing is" : "nothing here is";
  io.stderr.write(
    `lsp-proxy: ${why} of a kind that a server of the catalogue handles; see \`lsp-proxy servers\`\n`,
  );
  return exitCodes.no;
}

/** What is here and who would serve it, the most files first. */
async function look(workspace: string, catalogue: Catalogue, input: Input, io: Surroundings): Promise<Found> {
  const person = { env: io.env, home: homeOf(io) };
  const scan = await withProgress(io, "looking at the workspace", () =>
    scanInTurns(workspace, walkedDisk, person),
  );
  const presets = catalogue.facts().filter((preset) => servesAny(preset, scan));
  const members = presets.flatMap(({ stack }) =>
    stack === undefined ? [] : stackOf(stack, catalogue).members,
  );
  const presence = await lookAround([...presets, ...members], input, io);
  const tiers = [
    (preset: PresetFacts) => presence(preset) === "installed",
    (preset: PresetFacts) => presence(preset) === "untrusted",
    (preset: PresetFacts) => presence(preset) === "incomplete",
    () => true,
  ];
  const proposals = proposeServers(scan, presets, tiers).map((proposal) => {
    const { stack } = proposal.preset;
    return stack === undefined ? proposal : { ...proposal, stack: stackOf(stack, catalogue) };
  });
  return {
    scan,
    proposals: sortBy(proposals, ({ files, preset }) => [-files, preset.id]),
    presence: ({ preset, stack }) => {
      const all = (stack?.members ?? [preset]).map(presence);
      return (
        (["missing", "incomplete", "untrusted"] as const).find((worse) => all.includes(worse)) ?? "installed"
      );
    },
    languages: (proposal) => {
      const { languageId, languageIds } = buildLanguages(
        catalogue.preset(proposal.preset.id)?.config ?? {},
        proposal.preset.extensions ?? [],
      );
      return languagesHere(proposal, scan, (file) => languageIds[file] ?? languageId);
    },
  };
}

/** A stack of the catalogue with what its servers serve. */
function stackOf(name: string, catalogue: Catalogue): Stack {
  const servers = catalogue.stack(name);
  return {
    name,
    members: servers.map(({ preset }) => presetFacts(preset.config)),
    claims: servers.flatMap(({ server, preset }) => claimsOf({ ...preset.config, ...server })),
  };
}

function foundText(found: Found): string {
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
  return `${table(["#", "languages", "files", "as", "server", "here"], rows)}${cut}`;
}

/** The ids of the servers to take: asked on a terminal, else those that are here or that a flag names. Undefined when the person left. */
async function choose(
  found: Found,
  input: Input,
  io: Surroundings,
): Promise<ReadonlySet<string> | undefined> {
  const { proposals } = found;
  const ids = (chosen: readonly Proposal[]) => new Set(chosen.map(({ preset }) => preset.id));
  const only = textFlags(input, "only");
  if (only.length > 0) return ids(only.flatMap((name) => named(name, found)));
  const isHere = (proposal: Proposal) => !["missing", "incomplete"].includes(found.presence(proposal));
  const usual = proposals.filter((proposal) => isOn(input, "all") || isHere(proposal));
  if (isOn(input, "yes") || isOn(input, "dry-run") || !isInteractive(io)) return ids(usual);
  const numbers = usual.map((proposal) => proposals.indexOf(proposal) + 1).join(" ");
  return askUntil(
    io,
    `Which to take? Numbers (1 3-5), all, none, or Enter for those that are here (${numbers || "none"}): `,
    (answer) => {
      if (answer === "") return ids(usual);
      const selection = readSelection(answer, proposals.length);
      if ("picked" in selection) return ids(proposals.filter((_, index) => selection.picked.has(index + 1)));
      io.stderr.write(`\`${selection.unknown}\` is none of the numbers 1 to ${proposals.length}\n`);
      return undefined;
    },
  );
}

/** The proposals that a flag's name means. Throws a UsageError when there are none. */
function named(name: string, { proposals, languages }: Found): Proposal[] {
  const word = languageNamed(name);
  const namesOf = (proposal: Proposal) => languages(proposal).map(({ language }) => language);
  const mine = proposals.filter(
    (proposal) =>
      [proposal.preset.id, ...(proposal.preset.kinds ?? [])].includes(name) ||
      [...namesOf(proposal), ...(proposal.preset.languages ?? [])].includes(word),
  );
  if (mine.length > 0) return mine;
  const known = sortedSet(proposals.flatMap((proposal) => [proposal.preset.id, ...namesOf(proposal)]));
  const near = nearest(name, known);
  throw new UsageError(
    `--only ${name}: nothing was found here for it${near ? `; did you mean \`${near}\`?` : "."} ` +
      `It takes ${some(known, 12)}; \`lsp-proxy add\` takes any server of the catalogue`,
    "init",
  );
}
