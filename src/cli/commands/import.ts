/** `import`: another program's language servers as a config of ours. */
import { basename, resolve } from "node:path";
import { isTable, type JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { fromPointer } from "../../base/pointer.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import { tomlText } from "../../base/toml-text.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import { serverLines } from "../../config/edit/server-text.js";
import { formats, readOtherConfig } from "../../config/import/formats.js";
import { type Imported, importServers } from "../../config/import/import-servers.js";
import { type Command, exitCodes, isOn, type Surroundings, textFlag, UsageError } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { mayBegin, NEW_CONFIG, tryOut } from "../files/edit-config.js";
import { readUserFile, writeUserFile } from "../files/user-file.js";
import { configFlags } from "../flags.js";
import { openCatalogue } from "../presets.js";

const names = formats.map(({ name }) => name).join(", ");

export const importCommand: Command = {
  name: "import",
  summary: "Makes a config of another program's language servers.",
  usage: "FILE [--from FORMAT]",
  description:
    `Reads ${names} and writes lspi.toml, with the catalogue's presets where it knows the program.\n` +
    "What could not be carried over is told on stderr. A file that is there is not replaced unless told to.\n\n" +
    `${formats.map(({ name, title }) => `  ${name.padEnd(9)} ${title}`).join("\n")}`,
  flags: {
    workspace: configFlags.workspace as Command["flags"][string],
    from: {
      type: "string",
      value: "FORMAT",
      description: "Whose file it is, where that cannot be told from it.",
    },
    output: {
      type: "string",
      short: "o",
      value: "FILE",
      description: "The file to write; lspi.toml when absent.",
    },
    force: { type: "boolean", description: "Replaces the file when there is one." },
    "dry-run": { type: "boolean", description: "Prints the config instead of writing it." },
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy import cclsp.json", "lsp-proxy import ~/.config/helix/languages.toml --dry-run"],
  async run(input, io) {
    const [word = ""] = input.words;
    const source = resolve(io.cwd, word);
    const from = textFlag(input, "from");
    if (from !== undefined && !formats.some(({ name }) => name === from))
      throw new UsageError(`there is no format \`${from}\`; --from takes ${names}`, "import");
    const content = readUserFile(source);
    if (content === undefined) throw new UsageError(`${source} does not exist`, "import");
    const { tree, format } = readOtherConfig(source, content, from);
    if (format === undefined)
      throw new UsageError(`${word}: it is of no format that is known; --from takes ${names}`, "import");
    const catalogue = openCatalogue();
    const workspace = workspaceFolder(input, io);
    const file = resolve(workspace, textFlag(input, "output") ?? NEW_CONFIG);
    const origin = `${basename(source)} (${format.name})`;
    const imported = importServers(tree, format, catalogue);
    const write = (list: readonly JsonObject[]) => textOf(list, origin, catalogue);
    const { servers, notes } = withoutBad(imported, write, (text) => errorsIn(file, text, io));
    for (const note of notes) io.stderr.write(`not carried over: ${note}\n`);
    if (servers.length === 0) {
      io.stderr.write(`lsp-proxy: ${word} names no language server that can be used\n`);
      return exitCodes.no;
    }
    const text = write(servers);
    const errors = errorsIn(file, text, io);
    if (errors.length > 0) throw new ConfigError(errors);
    if (isOn(input, "dry-run")) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    if (!mayBegin(file, workspace, input, io)) return exitCodes.no;
    writeUserFile(file, text);
    io.stdout.write(`wrote ${file} with ${servers.length} server${servers.length === 1 ? "" : "s"}\n`);
    return exitCodes.ok;
  },
};

/** The servers that make a good config: one that cannot be used is left out with its reason, the others stay. */
function withoutBad(
  { servers, notes }: Imported,
  write: (servers: readonly JsonObject[]) => string,
  errorsOf: (text: string) => Problem[],
): Imported {
  const bad = new Map(
    errorsOf(write(servers))
      .toReversed()
      .flatMap(({ pointer, message }) => {
        const [list, index] = fromPointer(pointer);
        return list === "servers" && index !== undefined ? [[Number(index), message] as const] : [];
      }),
  );
  if (bad.size === 0) return { servers, notes };
  const left = [...bad].map(([index, message]) => `${String(servers[index]?.id)}: ${message}; left out`);
  const rest = servers.filter((_, index) => !bad.has(index));
  return withoutBad({ servers: rest, notes: [...notes, ...left] }, write, errorsOf);
}

function errorsIn(file: string, text: string, io: Surroundings): Problem[] {
  try {
    return tryOut({ file }, text, io).problems.filter(({ severity }) => severity === "error");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function textOf(servers: readonly JsonObject[], source: string, catalogue: Catalogue): string {
  const programs = sortedSet(servers.flatMap((server) => programOf(server, catalogue)));
  return [
    `# Imported from ${source}.`,
    "",
    "[allow]",
    `commands = ${tomlText(programs)}   # the only programs that may be started`,
    ...servers.flatMap((server) => ["", "[[servers]]", ...serverLines(server)]),
    "",
  ].join("\n");
}

function programOf({ command, kind }: JsonObject, catalogue: Catalogue): string[] {
  const preset = typeof kind === "string" ? catalogue.preset(kind)?.config : undefined;
  const [program] = [command ?? preset?.command ?? []].flat();
  return typeof program === "string" && !isTable(program) ? [program] : [];
}
