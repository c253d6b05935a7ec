/** `install`: shows the install line of a server for this system and runs it after confirmation. */
import { spawnSync } from "node:child_process";
import { envOutside } from "../../lsp/process/environment.js";
import { type Command, exitCodes, failure, homeOf } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { configFlags, toggle } from "../flags.js";
import { installLine, installWords, programOf } from "../installed.js";
import {
  findInstalled,
  openCatalogue,
  presenceText,
  presetNamed,
  resolvePreset,
  untrustedFolders,
} from "../presets.js";
import { confirm, isInteractive } from "../terminal/prompt.js";

export const install: Command = {
  name: "install",
  summary: "Shows the install line of a server for this system; runs it after confirmation.",
  usage: "SERVER [--yes]",
  description:
    "Shows the install line of the catalogue for this system. On a terminal it asks before it runs the line; elsewhere it\n" +
    "runs it only with --yes. Exits with 1 when the server is not installed in the end.",
  flags: {
    workspace: configFlags.workspace,
    "trust-workspace": configFlags["trust-workspace"],
    yes: toggle("Runs the line without asking.", "y"),
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy install pyright", "lsp-proxy install rust-analyzer --yes"],
  async run(input, io) {
    const [word = ""] = input.words;
    const facts = openCatalogue().facts();
    const preset = presetNamed(word, facts) ?? resolvePreset(word, facts, () => "missing");
    const presence = async () => (await findInstalled([preset], input, io))(preset);
    const before = await presence();
    if (before === "installed" || before === "untrusted") {
      const state = before === "installed" ? "already installed" : presenceText(before);
      io.stdout.writeLine(`${preset.id} is ${state}`);
      return exitCodes.ok;
    }
    const line = installLine(preset);
    const words = installWords(line);
    if (words === undefined) {
      io.stdout.writeLine(`${preset.id} has no install line for this system: ${line}`);
      return exitCodes.no;
    }
    io.stdout.writeLine(`$ ${line}`);
    const untrusted = untrustedFolders(input, io);
    const isForProject = words.includes("--save-dev");
    if (isForProject && untrusted.length > 0)
      return failure(
        io,
        "nothing was run: the line installs into the workspace, which is not trusted; see `lsp-proxy trust`",
      );
    if (!(input.isOn("yes") || (isInteractive(io) && (await confirm(io, "Run it?")))))
      return failure(io, "nothing was run; run it yourself, or add --yes");
    // Settings in a folder tell package managers where to download from, so other lines run in the home.
    const cwd = isForProject ? workspaceFolder(input, io) : homeOf(io);
    const { env } = envOutside(io.env, untrusted, cwd);
    const [program = "", ...args] = words;
    const { status, error } = spawnSync(program, args, { cwd, env, stdio: ["inherit", 2, 2] });
    if (error) return failure(io, `\`${program}\` cannot be run (${error.message}); install it first`);
    if (status !== 0) return failure(io, `the line ended with ${status ?? "a signal"}; see its output above`);
    const after = await presence();
    io.stdout.writeLine(
      after === "missing"
        ? `the line ran, but \`${programOf(preset) ?? preset.id}\` is not on PATH yet; open a new shell, or add its folder to PATH`
        : `${preset.id} is ${presenceText(after, line, preset.loads)}`,
    );
    return after === "missing" || after === "incomplete" ? exitCodes.no : exitCodes.ok;
  },
};
