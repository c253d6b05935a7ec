/**
 * The dashboard's facts about a config: its meaning, its problems, the entries of clients, servers that are missing.
 */
import type { HttpPlan } from "../../abi/plan.js";
import { ConfigError, type Problem, Refusal } from "../../base/problem.js";
import type { ClientFacts, Scope } from "../../config/catalogue/clients.js";
import type { ClientEntry, ConfigInfo, ConfigProblem, LanguageInfo, SetupInfo } from "../../dashboard/api.js";
import { clientSetup, stanzaOf } from "../clients/client-entry.js";
import { fileOf, knownClients } from "../clients/client-files.js";
import { type Input, type Io, UsageError } from "../command.js";
import { explainText } from "../commands/explain.js";
import { compile, type Planned, planConfig } from "../compile.js";
import { detectServers } from "../detect-servers.js";
import { languagesText, membersOf } from "../files/config-text.js";
import { shownPath } from "../files/user-file.js";
import { openCatalogue } from "../presets.js";
import { workspaceOf } from "../workspace.js";

const OTHER_PORT =
  "The gateway has another port after its next start. For entries that last, set `http.port` to a fixed number.";

/** The meaning and the problems of the config as it is on disk now. */
export async function configInfo(
  input: Input,
  io: Io,
  source: string,
): Promise<Pick<ConfigInfo, "source" | "explain" | "problems">> {
  if (input.text("bundle") !== undefined) return { source, explain: null, problems: [] };
  try {
    const planned = await compile(input, io, { startsNothing: true });
    return { source, explain: explainText(planned, io), problems: planned.warnings.map(shownProblem) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { source, explain: null, problems: error.problems.map(shownProblem) };
  }
}

function shownProblem({ severity, code, message, place, fix }: Problem): ConfigProblem {
  const { file = null, line = null, column = null } = place ?? {};
  return { severity, code, message, file, line, column, fix };
}

/** Where the clients of a gateway reach a workspace. Flags may have chosen another address than its config. */
export interface GatewayAddress {
  http: HttpPlan;
  isPortFixed: boolean;
}

/** The set-up of a workspace of a gateway, or of a hub, which has no address for clients. */
export async function setupInfo(input: Input, io: Io, gateway?: GatewayAddress): Promise<SetupInfo> {
  try {
    const found = await planConfig(input.text("bundle") === undefined ? input : input.withConfig({}), io, {
      startsNothing: true,
    });
    const http = gateway?.http ?? found.plan.http;
    const planned = { ...found, plan: { ...found.plan, http } };
    const clients = knownClients().flatMap((client) => entryOf(client, planned, input, io));
    const note = gateway?.isPortFixed === false ? OTHER_PORT : null;
    return { clients, note, languages: await languagesOf(planned, input, io) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message =
      "The config on disk has errors, so the set-up is not known: Playground, Config lists them.";
    throw new Refusal(error.problems[0]?.code ?? "config/bad-value", message);
  }
}

/** The entry of a client; none where it cannot be connected in this way. */
function entryOf(client: ClientFacts, planned: Planned, input: Input, io: Io): ClientEntry[] {
  const workspace = workspaceOf(input, io);
  const scope: Scope = client.files.some(({ entry, user }) => entry && user) ? "user" : "project";
  try {
    const setup = clientSetup(client, scope, input, io, planned);
    return client.files.flatMap((file) => {
      const path = file.entry && fileOf(file, scope, workspace, io);
      if (path === undefined) return [];
      const { text } = stanzaOf(client, file, setup, planned.plan, { known: [], past: [] });
      return [{ name: client.title, file: shownPath(path, io), text }];
    });
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

/** The languages of the workspace, with the servers that would serve them. */
async function languagesOf({ loaded }: Planned, input: Input, io: Io): Promise<LanguageInfo[]> {
  const found = await detectServers(loaded.base, openCatalogue(), input, io);
  return found.proposals.map((proposal) => {
    const isInstalled = found.presence(proposal) === "installed";
    const ids = membersOf(proposal).map(({ id }) => id);
    const install = isInstalled ? null : `lsp-proxy install ${ids.join(" ")}`;
    return {
      language: languagesText(found.languages(proposal)),
      files: proposal.files,
      servers: ids.map((id) => ({ id, installed: isInstalled, install })),
    };
  });
}
