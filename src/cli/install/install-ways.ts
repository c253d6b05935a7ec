/** Tries the ways of a preset one after the other, and tells what happens. */
import { homeOf } from "../../base/home.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { serversFolder } from "../../config/state-folder.js";
import { isInAny } from "../../lsp/process/trusted.js";
import { failure, type Input, type Io } from "../command.js";
import { untrustedWorkspaceFolders } from "../presets.js";
import { confirm, isInteractive } from "../terminal/prompt.js";
import { installManaged } from "./install-server.js";
import { InstallFailure, Steps } from "./step.js";
import { missingManagers, systemOf, typed, type Way, waysFor, waysText } from "./ways.js";

/** Installs a server by the first way that works. Returns whether one did; what failed is printed. */
export async function installByWays(
  preset: PresetFacts,
  input: Input,
  io: Io,
  /** Which ways are tried; an upgrade never runs a command that changes the system. */
  kinds: readonly Way["kind"][] = ["managed", "command", "see"],
): Promise<boolean> {
  const avoid = untrustedWorkspaceFolders(input, io);
  const install = preset.install ?? {};
  const steps = new Steps(io, avoid, `installing ${preset.id}`);
  const ways = waysFor(install, systemOf(steps.env.PATH, avoid)).filter(({ kind }) => kinds.includes(kind));
  for (const [index, way] of ways.entries()) {
    if (way.kind === "see") {
      io.stdout.write(`${preset.id} has no installation for this system: see ${way.page}\n`);
      return false;
    }
    try {
      if (way.kind === "command") return await runCommand(preset, way, steps, input, io);
      const folder = serversFolder(io.env, homeOf(io.env));
      if (isInAny(folder, avoid))
        throw new InstallFailure(`${folder} is in a workspace that is not trusted`, [], "Set XDG_DATA_HOME.");
      const { version, path } = await installManaged(preset, way.by, folder, steps);
      io.stdout.write(`${preset.id} ${version} is installed in ${path}\n`);
      return true;
    } catch (error) {
      if (!(error instanceof InstallFailure)) throw error;
      tell(preset, error, io);
      const next = ways[index + 1];
      if (next !== undefined && next.kind !== "see") io.stderr.write("trying the next way\n");
    }
  }
  if (ways.length === 0) {
    const first = missingManagers(install);
    const what =
      first.length === 0 ? "" : `; install ${first.map((name) => `\`${name}\``).join(" or ")} first`;
    failure(io, `${preset.id} cannot be installed here${what}. It comes from: ${waysText(install)}`);
  }
  return false;
}

function tell(preset: PresetFacts, { message, lines, advice }: InstallFailure, io: Io): void {
  for (const line of lines) io.stderr.writeLine(`  ${line}`);
  failure(io, `${preset.id} was not installed: ${message}${advice === undefined ? "" : `. ${advice}`}`);
}

/** Shows a command that changes the system or the user's environment, and runs it after a yes. */
async function runCommand(
  preset: PresetFacts,
  { words, advice }: Extract<Way, { kind: "command" }>,
  steps: Steps,
  input: Input,
  io: Io,
): Promise<boolean> {
  io.stdout.write(`$ ${typed(words)}\n`);
  if (!(input.isOn("yes") || (isInteractive(io) && (await confirm(io, "Run it?"))))) {
    failure(io, `${preset.id} was not installed; run the command yourself, or add --yes`);
    return false;
  }
  const [program = "", ...args] = words;
  // Settings in a folder tell package managers where to download from, so it runs in the home.
  const ran = await steps.run(program, args, { cwd: homeOf(io.env), shown: true });
  if (ran.status === 0) return true;
  throw new InstallFailure(`\`${typed(words)}\` ended with ${ran.status ?? "a signal"}`, [], advice);
}
