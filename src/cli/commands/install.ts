/** `install`: shows how a server is installed on this system, and does so only when a person says yes. */
import { spawn } from "node:child_process";
import type { PresetFacts } from "../../config/preset-index.js";
import { agrees, isInteractive } from "../ask.js";
import { type Command, type ExitCode, exitCodes, isOn, type Surroundings } from "../command.js";
import { configFlags } from "../flags.js";
import { installLine, installWords } from "../install-line.js";
import { installedHere, meantPreset, openCatalogue, presetNamed } from "../presets.js";

export const install: Command = {
  name: "install",
  summary: "Shows the install line of a server for this system; runs it after a yes.",
  usage: "SERVER [--yes]",
  description:
    "Shows the line that the catalogue has for this system. On a terminal it asks before it runs it; elsewhere it runs it\n" +
    "only with --yes. Exits with 1 when the server is not installed in the end.",
  flags: {
    workspace: configFlags.workspace as Command["flags"][string],
    "trust-workspace": configFlags["trust-workspace"] as Command["flags"][string],
    yes: { type: "boolean", short: "y", description: "Runs the line without asking." },
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy install pyright", "lsp-proxy install rust-analyzer --yes"],
  async run(input, io) {
    const [word = ""] = input.words;
    const facts = openCatalogue().facts();
    const preset = presetNamed(word, facts) ?? meantPreset(word, facts, () => false, "install");
    if (installedHere(input, io)(preset)) {
      io.stdout.write(`${preset.id} is installed already\n`);
      return exitCodes.ok;
    }
    const line = installLine(preset);
    const words = installWords(line);
    if (words === undefined) {
      io.stdout.write(`${preset.id} has no one line for this system: ${line}\n`);
      return exitCodes.no;
    }
    io.stdout.write(`$ ${line}\n`);
    if (!(isOn(input, "yes") || (isInteractive(io) && (await agrees(io, "Run it?", false))))) {
      io.stderr.write("Nothing was run. Run it yourself, or add --yes.\n");
      return exitCodes.no;
    }
    return runLine(words, io, () => finished(preset, installedHere(input, io)(preset), io));
  },
};

/** Runs the words as one program, without a shell, with its output on stderr. */
function runLine(words: string[], io: Surroundings, done: () => ExitCode): Promise<ExitCode> {
  const [program = "", ...args] = words;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: io.cwd, env: io.env, stdio: ["inherit", 2, 2] });
    child.once("error", (error) => {
      io.stderr.write(`lsp-proxy: \`${program}\` cannot be run (${error.message}); install it first\n`);
      resolve(exitCodes.no);
    });
    child.once("close", (code) => {
      if (code === 0) return resolve(done());
      io.stderr.write(`lsp-proxy: the line ended with ${code ?? "a signal"}; see above for its own words\n`);
      resolve(exitCodes.no);
    });
  });
}

function finished(preset: PresetFacts, isHere: boolean, io: Surroundings): ExitCode {
  const program = [preset.command ?? preset.id].flat()[0];
  io.stdout.write(
    isHere
      ? `${preset.id} is installed\n`
      : `the line ran, but \`${program}\` is not on PATH yet; open a new shell, or add its folder to PATH\n`,
  );
  return isHere ? exitCodes.ok : exitCodes.no;
}
