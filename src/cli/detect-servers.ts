/** Finds the languages of a workspace, and the servers of the catalogue that would serve them. */
import { homeOf } from "../base/home.js";
import { sortBy } from "../base/order.js";
import type { Catalogue } from "../config/catalogue/catalogue.js";
import {
  claimsOf,
  languagesHere,
  neededProposals,
  proposeServers,
  type Stack,
  servesAny,
} from "../config/catalogue/detect.js";
import { type PresetFacts, presetFacts } from "../config/catalogue/preset-index.js";
import { buildLanguages } from "../plan/servers.js";
import { scanWorkspace } from "../workspace/scan.js";
import { walkedDisk } from "../workspace/walk.js";
import type { Input, Io } from "./command.js";
import { type Found, membersOf } from "./files/config-text.js";
import { findInstalled, openCatalogue, presences } from "./presets.js";
import { withProgress } from "./terminal/prompt.js";

/** Scans the workspace and proposes servers, those with the most files first. */
export async function detectServers(
  workspace: string,
  catalogue: Catalogue,
  input: Input,
  io: Io,
): Promise<Found> {
  const scan = await withProgress(io, "scanning the workspace", () =>
    scanWorkspace(workspace, walkedDisk, { env: io.env, home: homeOf(io.env) }),
  );
  const presets = catalogue.facts().filter((preset) => servesAny(preset, scan));
  const members = presets.flatMap(({ stack }) =>
    stack === undefined ? [] : stackOf(stack, catalogue).members,
  );
  const presence = await findInstalled([...presets, ...members], input, io);
  const tiers = presences.map((wanted) => (preset: PresetFacts) => presence(preset) === wanted);
  const proposals = proposeServers(scan, presets, tiers).map((proposal) => {
    const { stack } = proposal.preset;
    return stack === undefined ? proposal : { ...proposal, stack: stackOf(stack, catalogue) };
  });
  return {
    scan,
    proposals: sortBy(proposals, ({ files, preset }) => [-files, preset.id]),
    presence: (proposal) => {
      const all = membersOf(proposal).map(presence);
      return presences.findLast((state) => all.includes(state)) ?? "installed";
    },
    languages: (proposal) => {
      const { id, extensions = [] } = proposal.preset;
      const { languageId, languageIds } = buildLanguages(catalogue.preset(id)?.config ?? {}, extensions);
      return languagesHere(proposal, scan, (file) => languageIds[file] ?? languageId);
    },
  };
}

/** The ids of the servers that the files of a workspace need, those with the most files first. */
export async function serversNeeded(workspace: string, input: Input, io: Io): Promise<string[]> {
  const { proposals, languages } = await detectServers(workspace, openCatalogue(), input, io);
  return neededProposals(proposals, languages).map(({ preset }) => preset.id);
}

/** A stack of the catalogue with the files that its servers serve. */
function stackOf(name: string, catalogue: Catalogue): Stack {
  const servers = catalogue.stack(name);
  return {
    name,
    members: servers.map(({ preset }) => presetFacts(preset.config)),
    claims: servers.flatMap(({ server, preset }) => claimsOf({ ...preset.config, ...server })),
  };
}
