/** `add`: one server more in the config; everything else in it stays as it is written. */
import { ConfigError, type Problem } from "../../base/problem.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import { type PresetFacts, presetFacts } from "../../config/catalogue/preset-index.js";
import type { ConfigEditor } from "../../config/edit/edit.js";
import { commentLines } from "../../config/edit/server-text.js";
import { type Command, exitCodes, type Input, isOn, textFlag, UsageError } from "../command.js";
import { newProblems, openConfig, tryOut } from "../files/edit-config.js";
import { writeUserFile } from "../files/user-file.js";
import { lackingText } from "../files/user-list.js";
import { configFlags } from "../flags.js";
import { candidatesFor, lookAround, meantPreset, openCatalogue, presenceText } from "../presets.js";
import { installLine } from "../trial/install-line.js";

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
    priority: {
      type: "string",
      value: "NUMBER",
      description: "Its place among the servers of the same files: the highest is asked first, 0 is usual.",
    },
    "dry-run": { type: "boolean", description: "Prints the new config instead of writing it." },
  },
  words: { min: 1, max: 1 },
  examples: [
    "lsp-proxy add python",
    "lsp-proxy add rust-analyzer --config lspi.toml",
    "lsp-proxy add ruff --dry-run",
    "lsp-proxy add pylsp --priority=-1",
  ],
  async run(input, io) {
    const [word = ""] = input.words;
    const catalogue = openCatalogue();
    const presence = await lookAround(candidatesFor(word, catalogue.facts()), input, io);
    const facts = meantPreset(word, catalogue.facts(), presence, "add");
    const open = openConfig(input, io);
    const now = open.isNew ? undefined : tryOut(open, open.text, io);
    const servers = now?.config.servers ?? [];
    const priority = priorityIn(input);
    if (facts.stack !== undefined && priority !== undefined)
      throw new UsageError(`--priority: \`${facts.id}\` comes with others, which have theirs`, "add");
    const adding =
      facts.stack === undefined ? alone(facts, input, catalogue) : inStack(facts.stack, catalogue);
    const known = servers.find((server) => adding.ids.includes(server.id));
    if (known !== undefined) {
      const place = now?.fileOf(known.id) ?? open.file;
      io.stderr.write(
        `lsp-proxy: ${place === open.file ? open.name : place} has a server \`${known.id}\` already\n`,
      );
      return exitCodes.no;
    }
    const text = adding.edit(
      open.editor,
      adding.programs.reduce((now, program) => open.editor.withAllowed(now, program), open.text),
    );
    const problems = newProblems(open, text, io);
    if (problems.length > 0) throw new ConfigError(problems.map(withPriority));
    if (isOn(input, "dry-run")) {
      io.stdout.write(open.mark + text);
      return exitCodes.ok;
    }
    writeUserFile(open.file, open.mark + text);
    io.stdout.write(`${open.isNew ? "wrote" : "changed"} ${open.name}: added ${adding.ids.join(" and ")}\n`);
    for (const preset of adding.presets) {
      const here = (await lookAround([preset], input, io))(preset);
      if (here !== "installed")
        io.stdout.write(`${preset.id} is ${presenceText(here, installLine(preset), preset.loads)}\n`);
    }
    if (open.isDiscovered) io.stdout.write(lackingText(adding.programs, io));
    if (open.isDiscovered) io.stdout.write("`lsp-proxy trust` lets it start programs as it is now\n");
    return exitCodes.ok;
  },
};

function priorityIn(input: Input): number | undefined {
  const value = textFlag(input, "priority");
  if (value === undefined) return undefined;
  if (!/^-?\d{1,4}$/.test(value)) throw new UsageError(`--priority: \`${value}\` is no whole number`, "add");
  return Number(value);
}

/** Where the new server and another claim the same files, the flag that settles it. */
function withPriority(problem: Problem): Problem {
  return problem.code === "plan/route-conflict"
    ? { ...problem, fix: "`--priority=-1` puts the new one after the other, `--priority=1` before it." }
    : problem;
}

/** What is added: its servers' ids and programs, and how the text comes to have it. */
interface Addition {
  ids: string[];
  presets: PresetFacts[];
  programs: string[];
  edit(editor: ConfigEditor, text: string): string;
}

function alone(facts: PresetFacts, input: Input, catalogue: Catalogue): Addition {
  const id = textFlag(input, "id") ?? facts.id;
  const priority = priorityIn(input);
  const server = { id, kind: facts.id, ...(priority === undefined ? {} : { priority }) };
  const about = catalogue.preset(facts.id)?.about ?? facts.id;
  return {
    ...{ ids: [id], presets: [facts], programs: programsOf([facts]) },
    edit: (editor, text) => editor.withServer(text, server, commentLines(about)),
  };
}

/** A preset that works only with others comes with them, as the catalogue has them. */
function inStack(name: string, catalogue: Catalogue): Addition {
  const servers = catalogue.stack(name);
  const presets = servers.map(({ preset }) => presetFacts(preset.config));
  return {
    ...{ ids: servers.map(({ server }) => String(server.id)), presets, programs: programsOf(presets) },
    edit: (editor, text) => editor.withExtended(text, `stacks/${name}`),
  };
}

function programsOf(presets: readonly PresetFacts[]): string[] {
  return presets.flatMap(({ command }) => [command ?? []].flat().slice(0, 1));
}
