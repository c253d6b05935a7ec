/** `install`: shows how a server is installed on this system, and does so only when a person says yes. */
import { spawn } from "node:child_process";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { envOutside } from "../../lsp/process/environment.js";
import { type Command, type ExitCode, exitCodes, homeOf, isOn, type Surroundings } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { configFlags } from "../flags.js";
import {
  lookAround,
  meantPreset,
  openCatalogue,
  type Presence,
  presenceText,
  presetNamed,
  strangersOf,
} from "../presets.js";
import { agrees, isInteractive } from "../terminal/ask.js";
import { installLine, installsIntoProject, installWords } from "../trial/install-line.js";

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
    const preset = presetNamed(word, facts) ?? meantPreset(word, facts, () => "missing", "install");
    const presence = async () => (await lookAround([preset], input, io))(preset);
    const before = await presence();
    if (before === "installed" || before === "untrusted") {
      io.stdout.write(
        `${preset.id} is ${before === "installed" ? "installed already" : presenceText(before, "")}\n`,
      );
      return exitCodes.ok;
    }
    const line = installLine(preset);
    const words = installWords(line);
    if (words === undefined) {
      io.stdout.write(`${preset.id} has no one line for this system: ${line}\n`);
      return exitCodes.no;
    }
    io.stdout.write(`$ ${line}\n`);
    const strangers = strangersOf(input, io);
    const isForProject = installsIntoProject(words);
    if (isForProject && strangers.length > 0) {
      io.stderr.write(
        "Nothing was run: it installs into the workspace, which is not trusted. See `lsp-proxy trust`, or add --trust-workspace.\n",
      );
      return exitCodes.no;
    }
    if (!(isOn(input, "yes") || (isInteractive(io) && (await agrees(io, "Run it?", false))))) {
      io.stderr.write("Nothing was run. Run it yourself, or add --yes.\n");
      return exitCodes.no;
    }
    // A folder's own settings tell package managers where to get things from: what is not the project's is not run in it.
    const cwd = isForProject ? workspaceFolder(input, io) : homeOf(io);
    if (!(await ran(words, cwd, { ...io, env: envOutside(io.env, strangers, cwd).env }))) return exitCodes.no;
    return finished(preset, await presence(), io);
  },
};

/** Runs the words as one program, without a shell, with its output on stderr; tells whether it succeeded. */
function ran(words: string[], cwd: string, io: Surroundings): Promise<boolean> {
  const [program = "", ...args] = words;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: io.env, stdio: ["inherit", 2, 2] });
    child.once("error", (error) => {
      io.stderr.write(`lsp-proxy: \`${program}\` cannot be run (${error.message}); install it first\n`);
      resolve(false);
    });
    child.once("close", (code) => {
      if (code !== 0)
        io.stderr.write(
          `lsp-proxy: the line ended with ${code ?? "a signal"}; see above for its own words\n`,
        );
      resolve(code === 0);
    });
  });
}

function finished(preset: PresetFacts, presence: Presence, io: Surroundings): ExitCode {
  const program = [preset.command ?? preset.id].flat()[0];
  io.stdout.write(
    presence === "missing"
      ? `the line ran, but \`${program}\` is not on PATH yet; open a new shell, or add its folder to PATH\n`
      : `${preset.id} is ${presenceText(presence, installLine(preset), preset.loads)}\n`,
  );
  return presence === "missing" || presence === "incomplete" ? exitCodes.no : exitCodes.ok;
}
