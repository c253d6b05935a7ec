/** The config that `init` writes: commented, with what could be used but is not here as comments. */
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
import type { Presence } from "../presets.js";
import { some } from "../terminal/table.js";
import { printable } from "../terminal/width.js";
import { installLine } from "../trial/install-line.js";

/** What was found in a workspace, and how it stands with each server's program. */
export interface Found {
  scan: WorkspaceScan;
  proposals: readonly Proposal[];
  presence(proposal: Proposal): Presence;
  languages(proposal: Proposal): LanguageHere[];
}

/** The languages of a proposal for people: with their numbers of files where they are several. */
export function languagesText(languages: readonly LanguageHere[]): string {
  const [only, ...others] = languages;
  if (only === undefined || others.length === 0) return only?.language ?? "";
  return some(
    languages.map(({ language, files }) => `${language} (${files})`),
    3,
  );
}

/** The text; `taken` names the servers that are used, all others are comments. */
export function configText(
  workspace: string,
  found: Found,
  taken: ReadonlySet<string>,
  catalogue: Catalogue,
): string {
  const used = besideStacks(
    found.proposals.filter(({ preset }) => taken.has(preset.id)),
    found.scan,
  );
  const others = found.proposals.filter(({ preset }) => !used.some((proposal) => proposal.preset === preset));
  const isServed = ({ preset }: Proposal) => taken.has(preset.id);
  const programs = sortedSet(used.flatMap(programsOf));
  const stacks = used.flatMap(({ stack }) => (stack ? [`stacks/${stack.name}`] : []));
  return [
    `# Language servers of ${printable(workspace)}. Every key: docs/config.md; the catalogue: \`lsp-proxy servers\`.`,
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
      ...(isServed(proposal) ? servedBlock(proposal, found, stacks) : commentedBlock(proposal, found)),
    ]),
    "",
  ].join("\n");
}

function aboutLines(proposal: Proposal, found: Found, catalogue: Catalogue): string[] {
  const about = catalogue.preset(proposal.preset.id)?.about ?? "";
  return [
    `# ${counted(proposal, found)}.`,
    ...commentLines(about),
    ...standing(proposal, found).map((line) => `# ${line}`),
  ];
}

function entryLines(proposal: Proposal): string[] {
  return ["[[servers]]", ...serverLines(serverEntry(proposal))];
}

function programsOf({ preset, stack }: Proposal): string[] {
  return (stack?.members ?? [preset]).flatMap(({ command }) => [command ?? []].flat().slice(0, 1));
}

/** A server that is not used: its lines as comments, to be used by taking the marks away. */
function commentedBlock(proposal: Proposal, found: Found): string[] {
  const [why = "Not taken."] = standing(proposal, found);
  const head = `# ${counted(proposal, found)}. ${why}`;
  const programs = programsOf(proposal)
    .map((program) => JSON.stringify(program))
    .join(", ");
  if (proposal.stack)
    return [
      head,
      `# To use it, put "stacks/${proposal.stack.name}" into \`extends\` at the top and ${programs} into the programs above.`,
    ];
  return [
    head,
    `# To use it, take away the marks below and add ${programs} to the programs above.`,
    ...entryLines(proposal).map((line) => `# ${line}`),
  ];
}

/** A server that was taken, but whose files a stack that was taken serves. */
function servedBlock(proposal: Proposal, found: Found, stacks: readonly string[]): string[] {
  return [
    `# ${counted(proposal, found)}. Served by ${stacks.join(" and ")} above, so \`${proposal.preset.id}\` is not needed.`,
  ];
}

function standing(proposal: Proposal, { presence }: Found): string[] {
  const how = presence(proposal);
  if (how === "missing") return [`Not installed here: ${installs(proposal)}`];
  if (how === "incomplete")
    return [`Installed here without ${loadsOf(proposal).join(", ")}, which it loads: ${installs(proposal)}`];
  return how === "untrusted"
    ? ["It lies in node_modules/.bin, which `lsp-proxy trust` lets it be started from."]
    : [];
}

/** The files that its programs load from packages beside them. */
export function loadsOf({ preset, stack }: Proposal): string[] {
  return sortedSet((stack?.members ?? [preset]).flatMap(({ loads = [] }) => loads));
}

/** How to get what a proposal needs. */
export function installs({ preset, stack }: Proposal): string {
  return sortedSet((stack?.members ?? [preset]).map((member) => installLine(member))).join("; ");
}

function counted(proposal: Proposal, { scan, languages }: Found): string {
  const { files } = proposal;
  const least = scan.cut ? "at least " : "";
  const here = some(claimsHere(proposal, scan), 5);
  return `${languagesText(languages(proposal))}: ${least}${files} file${files === 1 ? "" : "s"} (${here})`;
}
