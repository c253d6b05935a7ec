/** The config text that `init` writes: the chosen servers, and the other ones as comments. */
import { escapeLine } from "../../base/hidden-characters.js";
import { sortedSet } from "../../base/order.js";
import { tomlText } from "../../base/toml-text.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import {
  besideStacks,
  claimsHere,
  type LanguageHere,
  type Proposal,
  serverEntry,
} from "../../config/catalogue/detect.js";
import { commentLines, serverLines } from "../../config/edit/server-text.js";
import type { WorkspaceScan } from "../../workspace/scan.js";
import { installCommand } from "../install/ways.js";
import { programsOf } from "../installed.js";
import type { Presence } from "../presets.js";
import { plural, some } from "../terminal/text.js";

/** The languages found in a workspace, the proposed servers, and whether each is installed. */
export interface Found {
  scan: WorkspaceScan;
  proposals: readonly Proposal[];
  presence(proposal: Proposal): Presence;
  languages(proposal: Proposal): LanguageHere[];
}

/** The languages of a proposal; several are shown with their numbers of files. */
export function languagesText(languages: readonly LanguageHere[]): string {
  const isOne = languages.length === 1;
  const names = languages.map(({ language, files }) => (isOne ? language : `${language} (${files})`));
  return some(names, 3);
}

/** The config text. Servers that are not in `taken` become comments. */
export function configText(name: string, found: Found, taken: ReadonlySet<string>, catalogue: Catalogue) {
  const used = besideStacks(
    found.proposals.filter(({ preset }) => taken.has(preset.id)),
    found.scan,
  );
  const others = found.proposals.filter(({ preset }) => !used.some((proposal) => proposal.preset === preset));
  const programs = sortedSet(used.flatMap((proposal) => programsOf(membersOf(proposal))));
  const stacks = used.flatMap(({ stack }) => (stack ? [`stacks/${stack.name}`] : []));
  return [
    `# Language servers of ${escapeLine(name)}. Every key: docs/config.md; the catalogue: \`lsp-proxy servers\`.`,
    "",
    ...used.filter(({ stack }) => stack).flatMap((proposal) => aboutLines(proposal, found, catalogue)),
    ...(stacks.length > 0 ? [`extends = ${tomlText(stacks)}`, ""] : []),
    "[allow]",
    `commands = ${tomlText(programs)}   # the only programs that may be started`,
    ...used
      .filter(({ stack }) => !stack)
      .flatMap((proposal) => ["", ...aboutLines(proposal, found, catalogue), ...entryLines(proposal)]),
    ...others.flatMap((proposal) => [
      "",
      ...(taken.has(proposal.preset.id)
        ? // A chosen stack serves its files.
          [
            `# ${counted(proposal, found)}. Served by ${stacks.join(" and ")} above, so \`${proposal.preset.id}\` is not needed.`,
          ]
        : commentedBlock(proposal, found)),
    ]),
    "",
  ].join("\n");
}

function aboutLines(proposal: Proposal, found: Found, catalogue: Catalogue): string[] {
  const about = catalogue.preset(proposal.preset.id)?.about ?? "";
  return [
    `# ${counted(proposal, found)}.`,
    ...commentLines(about),
    ...presenceLines(proposal, found).map((line) => `# ${line}`),
  ];
}

function entryLines(proposal: Proposal): string[] {
  return ["[[servers]]", ...serverLines(serverEntry(proposal))];
}

/** The servers of a proposal: one, or all of a stack. */
export function membersOf({ preset, stack }: Proposal) {
  return stack?.members ?? [preset];
}

/** A server that is not used: its lines as comments. */
function commentedBlock(proposal: Proposal, found: Found): string[] {
  const [why = "Not chosen."] = presenceLines(proposal, found);
  const head = `# ${counted(proposal, found)}. ${why}`;
  const names = programsOf(membersOf(proposal)).map((program) => JSON.stringify(program));
  const step = proposal.stack
    ? `add "stacks/${proposal.stack.name}" to \`extends\` at the top`
    : "uncomment the lines below";
  return [
    head,
    `# To use it, ${step} and add ${names.join(", ")} to the programs above.`,
    ...(proposal.stack ? [] : entryLines(proposal).map((line) => `# ${line}`)),
  ];
}

function presenceLines(proposal: Proposal, { presence }: Found): string[] {
  const how = presence(proposal);
  if (how === "missing") return [`Not installed here: ${installs(proposal)}`];
  if (how === "incomplete")
    return [`Installed here without ${loadsOf(proposal).join(", ")}, which it loads: ${installs(proposal)}`];
  return how === "untrusted"
    ? ["It is in node_modules/.bin; `lsp-proxy trust` lets it be started from there."]
    : [];
}

export function loadsOf(proposal: Proposal): string[] {
  return sortedSet(membersOf(proposal).flatMap(({ loads = [] }) => loads));
}

export function installs(proposal: Proposal): string {
  return sortedSet(membersOf(proposal).map((member) => installCommand(member))).join("; ");
}

function counted(proposal: Proposal, { scan, languages }: Found): string {
  const least = scan.cut ? "at least " : "";
  const here = some(claimsHere(proposal, scan), 5);
  return `${languagesText(languages(proposal))}: ${least}${plural(proposal.files, "file")} (${here})`;
}
