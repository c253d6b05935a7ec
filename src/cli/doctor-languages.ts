/** The part of `doctor` for languages of the workspace that no server serves. */

import { plural } from "../base/words.js";
import { claimsHere, claimsOf } from "../config/catalogue/detect.js";
import type { Input, Io } from "./command.js";
import type { Compiled } from "./compile.js";
import { detectServers } from "./detect-servers.js";
import type { Report } from "./doctor-servers.js";
import { languagesText, membersOf } from "./files/config-text.js";
import { openCatalogue } from "./presets.js";

const MOST = 3;

/** Names the servers for the languages with the most files. Only the language with the most of all is a warning. */
export async function checkLanguages(
  { plan: { servers }, loaded: { base }, isScanned }: Compiled,
  input: Input,
  io: Io,
  report: Report,
): Promise<void> {
  const found = await detectServers(base, openCatalogue(), input, io);
  const served = new Set(servers.flatMap((server) => claimsOf(server)));
  const isServed = (index: number) => {
    const proposal = found.proposals[index];
    return proposal === undefined || claimsHere(proposal, found.scan).some((claim) => served.has(claim));
  };
  for (const [index, proposal] of found.proposals.slice(0, MOST).entries()) {
    if (isServed(index)) continue;
    const ids = membersOf(proposal).map(({ id }) => id);
    const count = `${plural(proposal.files, "file")}, and no server for ${proposal.files === 1 ? "it" : "them"}`;
    const text = `${languagesText(found.languages(proposal))}: ${count}`;
    const install =
      found.presence(proposal) === "installed" ? [] : [`\`lsp-proxy install ${ids.join(" ")}\``];
    // Where the config lists no servers, one is used as soon as it is installed.
    const add = isScanned ? [] : [`\`lsp-proxy add ${proposal.preset.id}\``];
    const steps = [...install, ...add].join(", then ");
    report("language", index === 0 ? "warning" : "note", text, steps);
  }
}
