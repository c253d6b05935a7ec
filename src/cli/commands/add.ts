/** `add`: adds a server to the config and keeps everything else in the file as it is. */
import { ConfigError, type Problem } from "../../base/problem.js";
import { presetFacts } from "../../config/catalogue/preset-index.js";
import { commentLines } from "../../config/edit/server-text.js";
import { type Command, exitCodes, failure, UsageError } from "../command.js";
import { newProblems, openConfig, previewConfig, saveConfig, userListHint } from "../files/edit-config.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { installCommand } from "../install/ways.js";
import { programsOf } from "../installed.js";
import { candidatesFor, findInstalled, openCatalogue, presenceText, resolvePreset } from "../presets.js";

export const add: Command = {
  name: "add",
  summary: "Adds a language or a server to the config; comments and layout stay.",
  usage: "LANGUAGE|SERVER [--config FILE]",
  description:
    "LANGUAGE means the best installed server of the language or, if none is installed, the preferred one. The server is\n" +
    "added at the end of the workspace's config, and its program to `allow.commands` if there is such a list. If the new\n" +
    "config would have problems, it is not written.",
  flags: {
    config: configFlags.config,
    workspace: configFlags.workspace,
    "trust-workspace": configFlags["trust-workspace"],
    id: withDefault(option("ID", "The server's id in the config."), "the catalogue's"),
    priority: withDefault(
      option("NUMBER", "Among servers for the same files, the highest is asked first."),
      "0",
    ),
    "dry-run": toggle("Prints the new config instead of writing it."),
  },
  words: { min: 1, max: 1 },
  completes: "servers",
  examples: ["lsp-proxy add python", "lsp-proxy add ruff --dry-run", "lsp-proxy add pylsp --priority=-1"],
  async run(input, io) {
    const [word = ""] = input.words;
    const catalogue = openCatalogue();
    const presence = await findInstalled(candidatesFor(word, catalogue.facts()), input, io);
    const facts = resolvePreset(word, catalogue.facts(), presence);
    const open = openConfig(input, io);
    const now = open.isNew ? undefined : previewConfig(open.file, open.text, io);
    const priority = input.integer("priority", -9999, 9999);
    const { stack } = facts;
    if (stack !== undefined && priority !== undefined)
      throw new UsageError(`--priority: \`${facts.id}\` is part of a stack, which sets the priorities`);
    // A server that works only together with others is added with its whole stack.
    const members = stack === undefined ? [] : catalogue.stack(stack);
    const presets = stack === undefined ? [facts] : members.map(({ preset }) => presetFacts(preset.config));
    const id = input.text("id") ?? facts.id;
    const ids = stack === undefined ? [id] : members.map(({ server }) => String(server.id));
    const known = now?.config.servers?.find((server) => ids.includes(server.id));
    if (known !== undefined) {
      const file = now?.fileOf(known.id) ?? open.file;
      return failure(io, `${file === open.file ? open.name : file} already has a server \`${known.id}\``);
    }
    const programs = programsOf(presets);
    const allowed = programs.reduce((text, program) => open.editor.withAllowed(text, program), open.text);
    const server = { id, kind: facts.id, ...(priority === undefined ? {} : { priority }) };
    const comment = commentLines(catalogue.preset(facts.id)?.about ?? facts.id);
    const text =
      stack === undefined
        ? open.editor.withServer(allowed, server, comment)
        : open.editor.withExtended(allowed, `stacks/${stack}`);
    const problems = newProblems(open, text, io);
    if (problems.length > 0) throw new ConfigError(problems.map(withPriorityHint));
    await saveConfig(open, text, `added ${ids.join(" and ")}`, input, io);
    if (input.isOn("dry-run")) return exitCodes.ok;
    const presenceOf = await findInstalled(presets, input, io);
    for (const preset of presets.filter((preset) => presenceOf(preset) !== "installed")) {
      const state = presenceText(presenceOf(preset), installCommand(preset), preset.loads);
      io.stdout.writeLine(`${preset.id} is ${state}`);
    }
    if (open.isDiscovered) io.stdout.write(userListHint(programs, io));
  },
};

function withPriorityHint(problem: Problem): Problem {
  return problem.code === "plan/route-conflict"
    ? { ...problem, fix: "`--priority=-1` puts the new one after the other, `--priority=1` before it." }
    : problem;
}
