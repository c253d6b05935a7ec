/** `upgrade`: installs the newest version of servers that `install` installed. */
import { homeOf } from "../../base/home.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { serversFolder } from "../../config/state-folder.js";
import { type Command, type ExitCode, exitCodes, failure, type Input, type Io } from "../command.js";
import { configFlags } from "../flags.js";
import { installByWays } from "../install/install-ways.js";
import { type ManagedServer, managedServer, managedServers } from "../install/managed.js";
import { managedNamed } from "../install/managed-names.js";
import { InstallFailure, Steps } from "../install/step.js";
import { newestVersion } from "../install/versions.js";
import { openCatalogue, presetNamed, untrustedWorkspaceFolders } from "../presets.js";

export const upgrade: Command = {
  name: "upgrade",
  summary: "Installs the newest version of servers that `install` installed.",
  usage: "[SERVER...]",
  description:
    "Without a name: all of them. The old version is removed when the new one is complete; when an upgrade fails, the old\n" +
    "one stays. Exits with 1 when one failed.",
  flags: { workspace: configFlags.workspace, "trust-workspace": configFlags["trust-workspace"] },
  words: { min: 0, max: 100 },
  completes: "servers",
  examples: ["lsp-proxy upgrade", "lsp-proxy upgrade pyright"],
  async run(input, io) {
    const folder = serversFolder(io.env, homeOf(io.env));
    const ids =
      input.words.length > 0 ? managedNamed(input.words, folder) : managedServers(folder).map(({ id }) => id);
    if (ids.length === 0) io.stdout.write("no server is installed by `lsp-proxy install`\n");
    let code: ExitCode = exitCodes.ok;
    const facts = openCatalogue().facts();
    for (const id of ids) {
      const before = managedServer(folder, id);
      const preset = presetNamed(id, facts);
      if (preset === undefined) {
        code = failure(io, `the catalogue no longer has \`${id}\`; \`lsp-proxy uninstall ${id}\` removes it`);
        continue;
      }
      if (before !== undefined && (await isNewest(preset, before, input, io)))
        io.stdout.write(`${id} ${before.version} is the newest version\n`);
      else if (!(await installByWays(preset, input, io, ["managed"]))) code = exitCodes.no;
    }
    return code;
  },
};

/** Whether the registry says that there is nothing newer; where it cannot be asked, the upgrade itself finds out. */
async function isNewest(preset: PresetFacts, { version, by, path }: ManagedServer, input: Input, io: Io) {
  const steps = new Steps(io, untrustedWorkspaceFolders(input, io), `upgrading ${preset.id}`);
  try {
    return (await newestVersion(preset.install ?? {}, by, path, steps)) === version;
  } catch (error) {
    if (error instanceof InstallFailure) return false;
    throw error;
  }
}
