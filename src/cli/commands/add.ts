/** `add`: adds a server to the config and keeps everything else in the file as it is. */
import { ConfigError, type Problem } from "../../base/problem.js";
import { outsideStacks, serverEntry } from "../../config/catalogue/detect.js";
import { presetFacts } from "../../config/catalogue/preset-index.js";
import { baseOf } from "../../config/discover.js";
import { type Command, exitCodes, failure, type Input, type Io, UsageError } from "../command.js";
import { detectServers } from "../detect-servers.js";
import { membersOf, serverComment } from "../files/config-text.js";
import {
  newProblems,
  type OpenConfig,
  openConfig,
  previewConfig,
  saveConfig,
  userListHint,
} from "../files/edit-config.js";
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
    "config would have problems, it is not written. If the config lists no server yet, the installed servers for the files of\n" +
    "the workspace are added too: they would not be used any more.",
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
    const now = previewConfig(open.file, open.text, io);
    const priority = input.integer("priority", -9999, 9999);
    const { stack } = facts;
    if (stack !== undefined && priority !== undefined)
      throw new UsageError(`--priority: \`${facts.id}\` is part of a stack, which sets the priorities`);
    // A server that works only together with others is added with its whole stack.
    const members = stack === undefined ? [] : catalogue.stack(stack);
    const presets = stack === undefined ? [facts] : members.map(({ preset }) => presetFacts(preset.config));
    const id = input.text("id") ?? facts.id;
    const ids = stack === undefined ? [id] : members.map(({ server }) => String(server.id));
    const known = now.config.servers?.find((server) => ids.includes(server.id));
    if (known !== undefined) {
      const file = now.fileOf(known.id) ?? open.file;
      return failure(io, `${file === open.file ? open.name : file} already has a server \`${known.id}\``);
    }
    const programs = programsOf(presets);
    const allowed = programs.reduce((text, program) => open.editor.withAllowed(text, program), open.text);
    const server = { id, kind: facts.id, ...(priority === undefined ? {} : { priority }) };
    const added =
      stack === undefined
        ? open.editor.withServer(allowed, server, serverComment(facts))
        : open.editor.withExtended(allowed, `stacks/${stack}`);
    const problems = newProblems(open, added, io);
    if (problems.length > 0) throw new ConfigError(problems.map(withPriorityHint));
    const isFirst = (now.config.servers ?? []).length === 0;
    const { text, kept } = isFirst ? await withFound(added, ids, open, input, io) : { text: added, kept: [] };
    const also = kept.length === 0 ? "" : `, and ${kept.join(" and ")}, used so far without being listed`;
    await saveConfig(open, text, `added ${ids.join(" and ")}${also}`, input, io);
    if (input.isOn("dry-run")) return exitCodes.ok;
    const presenceOf = await findInstalled(presets, input, io);
    for (const preset of presets.filter((preset) => presenceOf(preset) !== "installed")) {
      const state = presenceText(presenceOf(preset), installCommand(preset), preset.loads);
      io.stdout.writeLine(`${preset.id} is ${state}`);
    }
    if (open.isDiscovered) io.stdout.write(userListHint(programs, io));
  },
};

/**
 * Lists the installed servers that were found for the files here: a config that lists a server has no others. Those in
 * conflict with what is added are replaced by it.
 */
async function withFound(text: string, ids: readonly string[], open: OpenConfig, input: Input, io: Io) {
  const found = await detectServers(baseOf(open.file), openCatalogue(), input, io);
  const installed = found.proposals.filter(
    (proposal) =>
      found.presence(proposal) === "installed" && !membersOf(proposal).some(({ id }) => ids.includes(id)),
  );
  const kept: string[] = [];
  let next = text;
  for (const proposal of outsideStacks(installed, found.scan)) {
    const { preset, stack } = proposal;
    const allowed = programsOf(membersOf(proposal)).reduce(open.editor.withAllowed, next);
    const more =
      stack === undefined
        ? open.editor.withServer(allowed, serverEntry(proposal), serverComment(preset))
        : open.editor.withExtended(allowed, `stacks/${stack.name}`);
    if (newProblems(open, more, io).length > 0) continue;
    next = more;
    kept.push(preset.id);
  }
  return { text: next, kept };
}

function withPriorityHint(problem: Problem): Problem {
  return problem.code === "plan/route-conflict"
    ? { ...problem, fix: "`--priority=-1` puts the new one after the other, `--priority=1` before it." }
    : problem;
}
