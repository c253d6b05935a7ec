/** `import`: writes a config from another program's list of language servers. */
import { basename, resolve } from "node:path";
import { escapeLine } from "../../base/hidden-characters.js";
import { fromPointer, type JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import { tomlText } from "../../base/toml-text.js";
import { plural } from "../../base/words.js";
import type { Catalogue } from "../../config/catalogue/catalogue.js";
import { serverLines } from "../../config/edit/server-text.js";
import { formats, readOtherConfig } from "../../config/import/formats.js";
import { type Imported, importServers } from "../../config/import/import-servers.js";
import { type Command, exitCodes, failure, type Io, UsageError } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { isConfigOf, mayCreateConfig, NEW_CONFIG, previewConfig } from "../files/edit-config.js";
import { guardedFolders } from "../files/link-guard.js";
import { configFor, schemaComment } from "../files/new-config.js";
import { readUserFile, writeUserFile } from "../files/user-file.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { openCatalogue, serverPrograms } from "../presets.js";
import { askOrHint, inspectTrust } from "../trust-workspace.js";

const names = formats.map(({ name }) => name).join(", ");

export const importCommand: Command = {
  name: "import",
  summary: "Makes a config from another program's language servers.",
  usage: "FILE [--from FORMAT]",
  description:
    `Reads ${names} and writes lspi.toml, with presets of the catalogue for the programs that it knows.\n` +
    "Settings that could not be imported are listed on stderr. An existing file is replaced only with --force.\n\n" +
    `${formats.map(({ name, title }) => `  ${name.padEnd(9)} ${title}`).join("\n")}`,
  flags: {
    workspace: configFlags.workspace,
    from: withDefault(option("FORMAT", "The format of the file."), "detected"),
    output: withDefault(option("FILE", "The file to write, JSON if it ends in .json.", "o"), "lspi.toml"),
    force: toggle("Replaces an existing file."),
    "dry-run": toggle("Prints the config instead of writing it."),
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy import cclsp.json", "lsp-proxy import ~/.config/helix/languages.toml --dry-run"],
  async run(input, io) {
    const [word = ""] = input.words;
    const source = resolve(io.cwd, word);
    const from = input.text("from");
    if (from !== undefined && !formats.some(({ name }) => name === from))
      throw new UsageError(`there is no format \`${from}\`; --from takes ${names}`);
    const content = readUserFile(source);
    if (content === undefined) throw new UsageError(`${source} does not exist`);
    const { tree, format } = readOtherConfig(source, content, from);
    if (format === undefined) throw new UsageError(`${word}: unknown format; --from takes ${names}`);
    const catalogue = openCatalogue();
    const workspace = workspaceFolder(input, io, true);
    const file = resolve(workspace, input.text("output") ?? NEW_CONFIG);
    const origin = `${escapeLine(basename(source))} (${format.name})`;
    const write = (list: readonly JsonObject[]) => configFor(file, configText(list, origin, catalogue));
    const imported = importServers(tree, format, catalogue);
    const { servers, notes } = withoutBad(imported, (list) => errorsIn(file, write(list), io));
    for (const note of notes) io.stderr.writeLine(`not imported: ${note}`);
    if (servers.length === 0) return failure(io, `${word} has no language server that can be used`);
    const text = write(servers);
    const errors = errorsIn(file, text, io);
    if (errors.length > 0) throw new ConfigError(errors);
    if (input.isOn("dry-run")) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    if (!mayCreateConfig(file, workspace, input, io)) return exitCodes.no;
    writeUserFile(file, text, guardedFolders(input, io));
    io.stdout.writeLine(`wrote ${file} with ${plural(servers.length, "server")}`);
    // An imported config was written by others, so earlier trust in the folder does not cover it.
    if (isConfigOf(file, workspace)) await askOrHint(inspectTrust(workspace, io, { file, text }), io);
  },
};

/** Drops servers with errors, noting the reason, until the rest is a valid config. */
function withoutBad(imported: Imported, errorsOf: (servers: readonly JsonObject[]) => Problem[]): Imported {
  const { servers, notes } = imported;
  const found = errorsOf(servers).map(({ pointer, message }) => ({ path: fromPointer(pointer), message }));
  const errorOf = (index: number) =>
    found.find(({ path }) => path[0] === "servers" && path[1] === String(index))?.message;
  const bad = servers.filter((_, index) => errorOf(index) !== undefined);
  if (bad.length === 0) return imported;
  const dropped = bad.map((server) => `${server.id}: ${errorOf(servers.indexOf(server))}; left out`);
  const rest = servers.filter((server) => !bad.includes(server));
  return withoutBad({ servers: rest, notes: [...notes, ...dropped] }, errorsOf);
}

function errorsIn(file: string, text: string, io: Io): Problem[] {
  try {
    return previewConfig(file, text, io).problems.filter(({ severity }) => severity === "error");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function configText(servers: readonly JsonObject[], source: string, catalogue: Catalogue): string {
  const programs = serverPrograms(servers, catalogue);
  return [
    `# Imported from ${source}.`,
    schemaComment(),
    "",
    "[allow]",
    `commands = ${tomlText(sortedSet(programs))}   # the only programs that may be started`,
    ...servers.flatMap((server) => ["", "[[servers]]", ...serverLines(server)]),
    "",
  ].join("\n");
}
