/** `remove`: one server less in the config; everything else in it stays as it is written. */
import { nearest } from "../../base/nearest.js";
import { ConfigError } from "../../base/problem.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import { commentLines } from "../../config/edit/server-text.js";
import type { ServerConfig } from "../../config/schema.js";
import { readSource } from "../../config/text/read.js";
import { type Command, exitCodes, isOn, UsageError } from "../command.js";
import { newProblems, type OpenConfig, openConfig, tryOut } from "../files/edit-config.js";
import { writeUserFile } from "../files/user-file.js";
import { configFlags } from "../flags.js";
import { candidatesFor, openCatalogue } from "../presets.js";

const STACKS = "stacks/";

export const remove: Command = {
  name: "remove",
  summary: "Takes a server out of the config; comments and layout stay.",
  usage: "LANGUAGE|SERVER [--config FILE]",
  description:
    "Takes the server's table out with the comment right above it, and its program out of `allow.commands` when no other\n" +
    "server uses it. A language means the only server for it in the file; a stack goes as a whole. A config\n" +
    "that would have problems is not written.",
  flags: {
    config: configFlags.config as Command["flags"][string],
    workspace: configFlags.workspace as Command["flags"][string],
    "dry-run": { type: "boolean", description: "Prints the new config instead of writing it." },
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy remove pyright", "lsp-proxy remove rust --config lspi.toml --dry-run"],
  async run(input, io) {
    const [word = ""] = input.words;
    const open = openConfig(input, io);
    if (open.isNew) throw new UsageError(`${open.name} does not exist`, "remove");
    const catalogue = openCatalogue();
    const { config, fileOf } = tryOut(open, open.text, io);
    const servers = config.servers ?? [];
    const removal =
      removalOf(
        servers.filter(({ id }) => id === word),
        open,
        catalogue,
      )[0] ??
      stackRemoval(word, open, catalogue) ??
      meantRemoval(word, open, servers, catalogue);
    if (removal === undefined) throw new UsageError(notThere(word, open, servers, fileOf(word)), "remove");
    const programsOf = (list: readonly ServerConfig[]) =>
      list.flatMap(({ command }) => [command ?? []].flat().slice(0, 1));
    // The user's own file may have a server of the same id, which then stays.
    const used = programsOf(tryOut(open, removal.text, io).config.servers ?? []);
    const text = programsOf(servers.filter(({ id }) => removal.ids.includes(id)))
      .filter((program) => !used.includes(program))
      .reduce((now, program) => open.editor.withoutAllowed(now, program), removal.text);
    const problems = newProblems(open, text, io);
    if (problems.length > 0) throw new ConfigError(problems);
    if (isOn(input, "dry-run")) {
      io.stdout.write(open.mark + text);
      return exitCodes.ok;
    }
    writeUserFile(open.file, open.mark + text);
    io.stdout.write(`changed ${open.name}: removed ${removal.ids.join(" and ")}\n`);
    if (open.isDiscovered) io.stdout.write("`lsp-proxy trust` lets it start programs as it is now\n");
    return exitCodes.ok;
  },
};

/** What goes, and the text without it. */
interface Removal {
  ids: string[];
  text: string;
}

/** A stack that the config extends goes as a whole: its servers work only together. */
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

/** The only server in the file that is of that kind or for that language. */
function meantRemoval(
  word: string,
  open: OpenConfig,
  servers: readonly ServerConfig[],
  catalogue: Catalogue,
): Removal | undefined {
  const known = candidatesFor(word, catalogue.facts()).flatMap(({ id, kinds = [] }) => [id, ...kinds]);
  const mine = servers.filter(({ kind }) => kind !== undefined && known.includes(kind));
  const [first, ...others] = removalOf(mine, open, catalogue);
  if (first === undefined || others.length === 0) return first;
  const ids = [first, ...others].flatMap((removal) => removal.ids).join(", ");
  throw new UsageError(`${open.name} has several servers for \`${word}\`: ${ids}; name one`, "remove");
}

/** Each server that stands in the file itself, with the text without it. */
function removalOf(
  servers: readonly ServerConfig[],
  { editor, text }: OpenConfig,
  catalogue: Catalogue,
): Removal[] {
  return servers.flatMap(({ id, kind }) => {
    const about = catalogue.preset(kind ?? "")?.about;
    const shorter = editor.withoutServer(text, id, about === undefined ? [] : commentLines(about));
    return shorter === text ? [] : [{ ids: [id], text: shorter }];
  });
}

function notThere(
  word: string,
  { name, file }: OpenConfig,
  servers: readonly ServerConfig[],
  place: string | undefined,
): string {
  if (place !== undefined && place !== file)
    return `${name} itself has no server \`${word}\`; it stands in ${place}, which --config names`;
  const near = nearest(
    word,
    servers.map(({ id }) => id),
  );
  const hint = near === undefined || near === word ? "" : `; did you mean \`${near}\`?`;
  return `${name} itself has no server \`${word}\`${hint}`;
}
