/**
 * `remove`: removes a server from the config with its comment and, if no other server uses its program, the entry in
 * `allow.commands`; also a whole stack. The rest of the file stays as it is.
 */
import { ConfigError } from "../../base/problem.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import type { ServerConfig } from "../../config/schema.js";
import { readSource } from "../../config/text/read.js";
import { type Command, didYouMean, UsageError } from "../command.js";
import { serverComment } from "../files/config-text.js";
import { newProblems, type OpenConfig, openConfig, previewConfig, saveConfig } from "../files/edit-config.js";
import { configFlags, toggle } from "../flags.js";
import { programsOf } from "../installed.js";
import { candidatesFor, openCatalogue, presetNamed } from "../presets.js";

const STACKS = "stacks/";

export const remove: Command = {
  name: "remove",
  summary: "Removes a server from the config; comments and layout stay.",
  usage: "LANGUAGE|SERVER [--config FILE]",
  description:
    "Removes the server's table with the comment right above it, and its program from `allow.commands` when no other server\n" +
    "uses it. A language means the only server for it in the file; a stack is removed as a whole.",
  flags: {
    config: configFlags.config,
    workspace: configFlags.workspace,
    "dry-run": toggle("Prints the new config instead of writing it."),
  },
  words: { min: 1, max: 1 },
  completes: "servers",
  examples: ["lsp-proxy remove pyright", "lsp-proxy remove rust --config lspi.toml --dry-run"],
  async run(input, io) {
    const [word = ""] = input.words;
    const open = openConfig(input, io);
    if (open.isNew) throw new UsageError(`${open.name} does not exist`);
    const catalogue = openCatalogue();
    const { config, fileOf } = previewConfig(open.file, open.text, io);
    const servers = config.servers ?? [];
    const named = servers.filter(({ id }) => id === word);
    const removal =
      removalsOf(named, open, catalogue)[0] ??
      stackRemoval(word, open, catalogue) ??
      removalByKind(word, open, servers, catalogue);
    if (removal === undefined) {
      const place = fileOf(word) ?? open.file;
      const others = servers.map(({ id }) => id).filter((id) => id !== word);
      const elsewhere = `; it is in ${place}, which --config can name`;
      const hint = place === open.file ? didYouMean(word, others) : elsewhere;
      throw new UsageError(`${open.name} itself has no server \`${word}\`${hint}`);
    }
    // A server of the same id in the user's own file stays, and so does its program.
    const used = programsOf(previewConfig(open.file, removal.text, io).config.servers ?? []);
    const text = programsOf(servers.filter(({ id }) => removal.ids.includes(id)))
      .filter((program) => !used.includes(program))
      .reduce((now, program) => open.editor.withoutAllowed(now, program), removal.text);
    const problems = newProblems(open, text, io);
    if (problems.length > 0) throw new ConfigError(problems);
    await saveConfig(open, text, `removed ${removal.ids.join(" and ")}`, input, io);
  },
};

interface Removal {
  ids: string[];
  text: string;
}

/** The servers of a stack work only together, so it is removed as a whole. */
function stackRemoval(word: string, open: OpenConfig, catalogue: Catalogue): Removal | undefined {
  const names = [readSource(open.file, open.text).tree.extends ?? []].flat().map(String);
  for (const name of names.filter((name) => name.startsWith(STACKS))) {
    const servers = catalogue.stack(name.slice(STACKS.length));
    const ids = servers.map(({ server }) => String(server.id));
    const isMeant = [name, ...ids, ...servers.map(({ preset }) => preset.config.id)].includes(word);
    const text = isMeant ? open.editor.withoutExtended(open.text, name) : open.text;
    if (text !== open.text) return { ids, text };
  }
  return undefined;
}

/** The only server in the file of that kind or for that language. */
function removalByKind(word: string, open: OpenConfig, servers: ServerConfig[], catalogue: Catalogue) {
  const known = candidatesFor(word, catalogue.facts()).flatMap(({ id, kinds = [] }) => [id, ...kinds]);
  const matching = servers.filter(({ kind }) => kind !== undefined && known.includes(kind));
  const removals = removalsOf(matching, open, catalogue);
  if (removals.length <= 1) return removals[0];
  const ids = removals.flatMap((removal) => removal.ids).join(", ");
  throw new UsageError(`${open.name} has several servers for \`${word}\`: ${ids}; name one`);
}

/** For each server that the file itself contains, the text without it. */
function removalsOf(servers: readonly ServerConfig[], open: OpenConfig, catalogue: Catalogue): Removal[] {
  const { editor, text } = open;
  const facts = catalogue.facts();
  return servers.flatMap(({ id, kind }) => {
    const preset = presetNamed(kind ?? "", facts);
    const shorter = editor.withoutServer(text, id, preset === undefined ? [] : serverComment(preset));
    return shorter === text ? [] : [{ ids: [id], text: shorter }];
  });
}
