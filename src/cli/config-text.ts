/** The config that `init` writes: commented, with what could be used but is not here as comments. */
import { sortedSet } from "../base/order.js";
import { tomlText } from "../base/toml-text.js";
import type { Catalogue } from "../config/catalogue.js";
import { claimsHere, type Proposal, serverEntry } from "../config/detect.js";
import type { WorkspaceScan } from "../config/scan.js";
import { commentLines, serverLines } from "../config/server-text.js";
import { installLine } from "./install-line.js";
import type { Presence } from "./presets.js";
import { some } from "./table.js";
import { printable } from "./width.js";

/** What was found in a workspace, and how it stands with each server's program. */
export interface Found {
  scan: WorkspaceScan;
  proposals: readonly Proposal[];
  presence(proposal: Proposal): Presence;
  languages(proposal: Proposal): string[];
}

/** The text; `taken` names the servers that are used, all others are comments. */
export function configText(
  workspace: string,
  found: Found,
  taken: ReadonlySet<string>,
  catalogue: Catalogue,
): string {
  const used = found.proposals.filter(({ preset }) => taken.has(preset.id));
  const others = found.proposals.filter(({ preset }) => !taken.has(preset.id));
  const programs = sortedSet(used.flatMap(({ preset }) => [preset.command ?? []].flat().slice(0, 1)));
  return [
    `# Language servers of ${printable(workspace)}. Every key: docs/config.md; the catalogue: \`lsp-proxy servers\`.`,
    "",
    "[allow]",
    `commands = ${tomlText(programs)}   # the only programs that may be started`,
    ...used.flatMap((proposal) => ["", ...block(proposal, found, catalogue)]),
    ...others.flatMap((proposal) => ["", ...commentedBlock(proposal, found)]),
    "",
  ].join("\n");
}

function block(proposal: Proposal, found: Found, catalogue: Catalogue): string[] {
  const about = catalogue.preset(proposal.preset.id)?.about ?? "";
  return [
    `# ${counted(proposal, found)}.`,
    ...commentLines(about),
    ...standing(proposal, found).map((line) => `# ${line}`),
    "[[servers]]",
    ...serverLines(serverEntry(proposal)),
  ];
}

/** A server that is not used: its lines as comments, to be used by taking the marks away. */
function commentedBlock(proposal: Proposal, found: Found): string[] {
  const { preset } = proposal;
  const program = [preset.command ?? preset.id].flat()[0];
  const [why = "Not taken."] = standing(proposal, found);
  return [
    `# ${counted(proposal, found)}. ${why}`,
    `# To use it, take away the marks below and add ${JSON.stringify(program)} to the programs above.`,
    "# [[servers]]",
    ...serverLines(serverEntry(proposal)).map((line) => `# ${line}`),
  ];
}

function standing(proposal: Proposal, { presence }: Found): string[] {
  const how = presence(proposal);
  if (how === "missing") return [`Not installed here: ${installLine(proposal.preset)}`];
  return how === "untrusted"
    ? ["It lies in node_modules/.bin, which `lsp-proxy trust` lets it be started from."]
    : [];
}

function counted(proposal: Proposal, { scan, languages }: Found): string {
  const { files } = proposal;
  const least = scan.cut ? "at least " : "";
  const here = some(claimsHere(proposal, scan), 5);
  return `${some(languages(proposal), 3)}: ${least}${files} file${files === 1 ? "" : "s"} (${here})`;
}
