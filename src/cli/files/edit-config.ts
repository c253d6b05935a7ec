/** A config that a command changes: found, read, tried out before it is written, and replaced as a whole. */
import { existsSync, lstatSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Plan } from "../../abi/plan.js";
import { CONFIG_NAMES } from "../../base/own-names.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import { type ConfigEditor, editorOf } from "../../config/edit/edit.js";
import { diskFiles } from "../../config/files.js";
import { loadConfig } from "../../config/load.js";
import type { Config } from "../../config/schema.js";
import { readSource } from "../../config/text/read.js";
import { buildPlan } from "../../plan/build.js";
import { homeOf, type Input, isOn, type Surroundings, textFlag } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { shippedConfigs } from "../shipped.js";
import { visible } from "../terminal/width.js";
import { readUserFile } from "./user-file.js";

/** A config file as it stands, or as it would be begun. */
export interface OpenConfig {
  file: string;
  /** Its name for people. */
  name: string;
  isNew: boolean;
  /** Whether it is found by itself, and so needs trust before it starts programs. */
  isDiscovered: boolean;
  /** The byte order mark that the file begins with, or nothing. */
  mark: string;
  text: string;
  editor: ConfigEditor;
}

/** The file that a workspace's config is written to when there is none yet. */
export const NEW_CONFIG = "lspi.toml";

/** The config that the command line names, or the workspace's own. Throws a ConfigError when it cannot be read. */
export function openConfig(input: Input, io: Surroundings): OpenConfig {
  const workspace = workspaceFolder(input, io);
  const named = textFlag(input, "config");
  const found = CONFIG_NAMES.map((name) => join(workspace, name)).find((file) => existsSync(file));
  const file = named === undefined ? (found ?? join(workspace, NEW_CONFIG)) : resolve(io.cwd, named);
  const content = readUserFile(file);
  const { mark, text, problems, broken } = readSource(file, content ?? "");
  if (broken && content !== undefined) throw new ConfigError(problems);
  const name = relative(io.cwd, file);
  return {
    file,
    name: name.startsWith("..") ? file : name,
    isNew: content === undefined,
    isDiscovered: named === undefined,
    mark,
    text: content === undefined ? "" : text,
    editor: editorOf(file, text),
  };
}

/** Whether a new config may be written: not over another file, nor beside a config of the workspace, unless forced. */
export function mayBegin(file: string, workspace: string, input: Input, io: Surroundings): boolean {
  const names = CONFIG_NAMES.map((name) => join(workspace, name));
  const isOwn = names.includes(file);
  const there = (isOwn ? names : [file]).filter((name) => lstatSync(name, { throwIfNoEntry: false }));
  const [first] = there;
  if (first === undefined) return true;
  if (!isOn(input, "force")) {
    const other = "`lsp-proxy add` adds to it, --output names another file";
    io.stderr.write(
      first === file
        ? `lsp-proxy: ${visible(file)} is there already; --force replaces it, ${other}\n`
        : `lsp-proxy: ${visible(first)} is the workspace's config already; ${other}\n`,
    );
    return false;
  }
  for (const name of there.filter((name) => name !== file))
    io.stderr.write(
      names.indexOf(name) < names.indexOf(file)
        ? `lsp-proxy: ${name} is found first; ${file} does not count while it is there\n`
        : `lsp-proxy: ${file} is found first; ${name} does not count any more\n`,
    );
  return true;
}

/** What a text in the place of the config's would mean, and which file names a server. Starts and writes nothing. */
export function tryOut(
  open: Pick<OpenConfig, "file">,
  text: string,
  io: Surroundings,
): { config: Config; plan: Plan; problems: Problem[]; fileOf(server: string): string | undefined } {
  const files = { ...diskFiles, read: (path: string) => (path === open.file ? text : diskFiles.read(path)) };
  const loaded = loadConfig(
    {
      workspace: io.cwd,
      configPath: open.file,
      env: io.env,
      home: homeOf(io),
      shipped: shippedConfigs,
      commandLine: {},
    },
    files,
  );
  const fileOf = (server: string) => {
    const index = loaded.config.servers?.findIndex(({ id }) => id === server) ?? -1;
    return index < 0 ? undefined : loaded.locate(`/servers/${index}/id`)?.file;
  };
  return { config: loaded.config, fileOf, ...buildPlan(loaded.config, loaded) };
}

/** The errors that a change would bring, none when the config had them before. Their lines are those of a text that is not there. */
export function newProblems(open: OpenConfig, text: string, io: Surroundings): Problem[] {
  const known = new Set(open.isNew ? [] : tryOut(open, open.text, io).problems.map(({ message }) => message));
  return tryOut(open, text, io)
    .problems.filter(({ severity, message }) => severity === "error" && !known.has(message))
    .map(({ place, ...problem }) =>
      place === undefined || place.file === open.file ? problem : { ...problem, place },
    );
}
