/** The config text that `init` writes: the chosen servers. */
import { escapeLine } from "../../base/hidden-characters.js";
import { sortedSet } from "../../base/order.js";
import { tomlText } from "../../base/toml-text.js";
import { plural } from "../../base/words.js";
import {
  claimsHere,
  type LanguageHere,
  outsideStacks,
  type Proposal,
  serverEntry,
} from "../../config/catalogue/detect.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { commentLines, serverLines } from "../../config/edit/server-text.js";
import type { WorkspaceScan } from "../../workspace/scan.js";
import { installCommand } from "../install/ways.js";
import { programsOf } from "../installed.js";
import type { Presence } from "../presets.js";
import { some } from "../terminal/text.js";
import { schemaComment } from "./new-config.js";

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

/** The config text with the chosen servers. The rest of the catalogue is one line. */
export function configText(name: string, found: Found, taken: ReadonlySet<string>): string {
  const used = outsideStacks(
    found.proposals.filter(({ preset }) => taken.has(preset.id)),
    found.scan,
  );
  const programs = sortedSet(used.flatMap((proposal) => programsOf(membersOf(proposal))));
  const stacks = used.flatMap(({ stack }) => (stack ? [`stacks/${stack.name}`] : []));
  return [
    `# Language servers of ${escapeLine(name)}. \`lsp-proxy servers\` shows what else there is, \`lsp-proxy add NAME\` adds it.`,
    schemaComment(),
    "",
    ...used.filter(({ stack }) => stack).flatMap((proposal) => aboutLines(proposal, found)),
    ...(stacks.length > 0 ? [`extends = ${tomlText(stacks)}`, ""] : []),
    "[allow]",
    `commands = ${tomlText(programs)}   # the only programs that may be started`,
    ...used
      .filter(({ stack }) => !stack)
      .flatMap((proposal) => ["", ...aboutLines(proposal, found), ...entryLines(proposal)]),
    "",
  ].join("\n");
}

function aboutLines(proposal: Proposal, found: Found): string[] {
  return [`${counted(proposal, found)}.`, ...presenceLines(proposal, found)].map((line) => `# ${line}`);
}

function entryLines(proposal: Proposal): string[] {
  return ["[[servers]]", ...serverLines(serverEntry(proposal))];
}

/** The comment above a server that `add` writes. The notes in the catalogue are for those who maintain it. */
export function serverComment({ id, languages = [] }: PresetFacts): string[] {
  return commentLines(languages.length === 0 ? id : `${id}: ${languages.join(", ")}`);
}

/** The servers of a proposal: one, or all of a stack. */
export function membersOf({ preset, stack }: Proposal) {
  return stack?.members ?? [preset];
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
