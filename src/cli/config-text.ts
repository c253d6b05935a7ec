/** The config that `init` writes: commented, with what could be used but is not here as comments. */
import { sortedSet } from "../base/order.js";
import { tomlText } from "../base/toml-text.js";
import type { Catalogue } from "../config/catalogue.js";
import { filesOf, type Proposal, serverEntry, type WorkspaceScan } from "../config/detect.js";
import { commentLines, serverLines } from "../config/server-text.js";
import { installLine } from "./install-line.js";
import { some } from "./table.js";

/** The text; `taken` names the servers that are used, all others are comments. */
export function configText(
  workspace: string,
  proposals: readonly Proposal[],
  taken: ReadonlySet<string>,
  scan: WorkspaceScan,
  catalogue: Catalogue,
): string {
  const used = proposals.filter(({ preset }) => taken.has(preset.id));
  const others = proposals.filter(({ preset }) => !taken.has(preset.id));
  const programs = sortedSet(used.flatMap(({ preset }) => [preset.command ?? []].flat().slice(0, 1)));
  return [
    `# Language servers of ${workspace}. Every key: docs/config.md; the catalogue: \`lsp-proxy servers\`.`,
    "",
    "[allow]",
    `commands = ${tomlText(programs)}   # the only programs that may be started`,
    ...used.flatMap((proposal) => ["", ...block(proposal, scan, catalogue)]),
    ...others.flatMap((proposal) => ["", ...commentedBlock(proposal, scan)]),
    "",
  ].join("\n");
}

function block(proposal: Proposal, scan: WorkspaceScan, catalogue: Catalogue): string[] {
  const about = catalogue.preset(proposal.preset.id)?.about ?? "";
  return [
    `# ${counted(proposal, scan)}.`,
    ...commentLines(about),
    ...(proposal.installed ? [] : [`# Not installed here: ${installLine(proposal.preset)}`]),
    "[[servers]]",
    ...serverLines(serverEntry(proposal)),
  ];
}

/** A server that is not used: its lines as comments, to be used by taking the marks away. */
function commentedBlock(proposal: Proposal, scan: WorkspaceScan): string[] {
  const { preset, installed } = proposal;
  const program = [preset.command ?? preset.id].flat()[0];
  return [
    `# ${counted(proposal, scan)}. ${installed ? "Not taken." : `Not installed here: ${installLine(preset)}`}`,
    `# To use it, take away the marks below and add ${JSON.stringify(program)} to the programs above.`,
    "# [[servers]]",
    ...serverLines(serverEntry(proposal)).map((line) => `# ${line}`),
  ];
}

function counted({ preset, files, claims }: Proposal, scan: WorkspaceScan): string {
  const here = sortedSet(claims.filter((claim) => filesOf(claim, scan) > 0));
  return `${some(preset.languages ?? [], 3)}: ${files} file${files === 1 ? "" : "s"} (${some(here, 5)})`;
}
