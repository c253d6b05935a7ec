/** `add`: one server more in the config; everything else in it stays as it is written. */
import { ConfigError } from "../../base/problem.js";
import { commentLines } from "../../config/server-text.js";
import { type Command, exitCodes, isOn, textFlag } from "../command.js";
import { newProblems, openConfig, tryOut } from "../edit-config.js";
import { configFlags } from "../flags.js";
import { candidatesFor, lookAround, meantPreset, openCatalogue, presenceText } from "../presets.js";
import { writeUserFile } from "../user-file.js";

export const add: Command = {
  name: "add",
  summary: "Adds a language or a server to the config; comments and layout stay.",
  usage: "LANGUAGE|SERVER [--config FILE]",
  description:
    "A language means its preferred server among those that are installed, or its preferred one. The server is written at\n" +
    "the end of the workspace's config (or a new lspi.toml), and its program is added to `allow.commands` where there is\n" +
    "such a list. A config that would have problems is not written.",
  flags: {
    config: configFlags.config as Command["flags"][string],
    workspace: configFlags.workspace as Command["flags"][string],
    "trust-workspace": configFlags["trust-workspace"] as Command["flags"][string],
    id: {
      type: "string",
      value: "ID",
      description: "The server's name in the config; the catalogue's when absent.",
    },
    "dry-run": { type: "boolean", description: "Prints the new config instead of writing it." },
  },
  words: { min: 1, max: 1 },
  examples: [
    "lsp-proxy add python",
    "lsp-proxy add rust-analyzer --config lspi.toml",
    "lsp-proxy add ruff --dry-run",
  ],
  async run(input, io) {
    const [word = ""] = input.words;
    const catalogue = openCatalogue();
    const presence = await lookAround(candidatesFor(word, catalogue.facts()), input, io);
    const facts = meantPreset(word, catalogue.facts(), presence, "add");
    const open = openConfig(input, io);
    const id = textFlag(input, "id") ?? facts.id;
    const servers = open.isNew ? [] : (tryOut(open, open.text, io).config.servers ?? []);
    if (servers.some((server) => server.id === id)) {
      io.stderr.write(`lsp-proxy: ${open.name} has a server \`${id}\` already\n`);
      return exitCodes.no;
    }
    const about = catalogue.preset(facts.id)?.about ?? facts.id;
    const [program] = [facts.command ?? []].flat();
    const text = open.editor.withServer(
      program === undefined ? open.text : open.editor.withAllowed(open.text, program),
      { id, kind: facts.id },
      commentLines(about),
    );
    const problems = newProblems(open, text, io);
    if (problems.length > 0) throw new ConfigError(problems);
    if (isOn(input, "dry-run")) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    writeUserFile(open.file, text);
    io.stdout.write(`${open.isNew ? "wrote" : "changed"} ${open.name}: added ${id}\n`);
    if (presence(facts) !== "installed") io.stdout.write(`it is ${presenceText(facts, presence(facts))}\n`);
    if (open.isDiscovered) io.stdout.write("`lsp-proxy trust` lets it start programs as it is now\n");
    return exitCodes.ok;
  },
};
