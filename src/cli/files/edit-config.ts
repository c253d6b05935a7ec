/** The config file that a command edits or creates, and the check of a new text before it is written. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CONFIG_NAMES } from "../../base/config-names.js";
import { lstatOf } from "../../base/file-stamp.js";
import { homeOf } from "../../base/home.js";
import { isTable } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import { baseOf, userConfigFile } from "../../config/discover.js";
import { type ConfigEditor, editorOf } from "../../config/edit/edit.js";
import { diskFiles } from "../../config/files.js";
import { loadConfig } from "../../config/load.js";
import { readSource } from "../../config/text/read.js";
import { buildPlan } from "../../plan/build.js";
import { failure, type Input, type Io } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { shippedConfigs } from "../shipped.js";
import { inspectTrust, keepOrAskTrust } from "../trust-workspace.js";
import { guardedFolders } from "./link-guard.js";
import { emptyConfig } from "./new-config.js";
import { readUserFile, realUserFile, shownPath, writeUserFile } from "./user-file.js";

export interface OpenConfig {
  file: string;
  /** The file's name in messages. */
  name: string;
  isNew: boolean;
  /** Whether it is found without being named, and so must be trusted before it may start programs. */
  isDiscovered: boolean;
  /** The byte order mark at the beginning, or nothing. */
  mark: string;
  text: string;
  editor: ConfigEditor;
}

export const NEW_CONFIG = "lspi.toml";

/** The config that the command line names, or that of the workspace. Throws a ConfigError when it cannot be read. */
export function openConfig(input: Input, io: Io): OpenConfig {
  const workspace = workspaceFolder(input, io);
  const named = input.text("config");
  const found = CONFIG_NAMES.map((name) => join(workspace, name)).find((file) => existsSync(file));
  const file = named === undefined ? (found ?? join(workspace, NEW_CONFIG)) : resolve(io.cwd, named);
  const content = readUserFile(file);
  const isNew = content === undefined;
  const { mark, text, problems, broken } = readSource(file, content ?? "");
  if (broken && !isNew) throw new ConfigError(problems);
  const name = shownPath(file, io);
  const editor = editorOf(file, text);
  const isDiscovered = named === undefined;
  return { file, name, isNew, isDiscovered, mark, text: isNew ? emptyConfig(file) : text, editor };
}

/** Writes the new text of a config, or prints it with `--dry-run`. `change` is what was done, in words. */
export async function saveConfig(
  open: OpenConfig,
  text: string,
  change: string,
  input: Input,
  io: Io,
): Promise<void> {
  if (input.isOn("dry-run")) {
    io.stdout.write(text);
    return;
  }
  const { file, mark, isNew } = open;
  const workspace = baseOf(file);
  const isFound = isConfigOf(file, workspace);
  const old = isNew ? undefined : { file, text: mark + open.text };
  const before = isFound ? inspectTrust(workspace, io, old) : undefined;
  writeUserFile(file, mark + text, guardedFolders(input, io));
  io.stdout.writeLine(`${isNew ? "wrote" : "changed"} ${open.name}: ${change}`);
  if (before) await keepOrAskTrust(before, { file, text: mark + text }, io);
}

/**
 * Whether a file is a config that is found in a workspace without being named. One that a link leads out of it is not.
 */
export function isConfigOf(file: string, workspace: string): boolean {
  const isInPlace = isInside(realUserFile(file), realUserFile(workspace));
  return isInPlace && CONFIG_NAMES.some((name) => join(workspace, name) === file);
}

/**
 * Whether a new config may be written: with `--force` over an existing file or beside another config of the workspace.
 */
export function mayCreateConfig(file: string, workspace: string, input: Input, io: Io): boolean {
  const names = CONFIG_NAMES.map((name) => join(workspace, name));
  const rivals = names.includes(file) ? names : [file];
  const existing = rivals.filter((name) => lstatOf(name));
  const [first] = existing;
  if (first === undefined) return true;
  if (!input.isOn("force")) {
    const why = first === file ? "already exists; --force replaces it" : "is already the workspace's config";
    failure(io, `${first} ${why}; \`lsp-proxy add\` adds to it, --output names another file`);
    return false;
  }
  for (const name of existing.filter((name) => name !== file)) {
    const [used, ignored] = names.indexOf(name) < names.indexOf(file) ? [name, file] : [file, name];
    failure(io, `${used} takes precedence; ${ignored} is ignored`);
  }
  return true;
}

/** Loads and plans a text in place of the config file's own. `fileOf` is the file that a server is in. */
export function previewConfig(file: string, text: string, io: Io) {
  const files = { ...diskFiles, read: (path: string) => (path === file ? text : diskFiles.read(path)) };
  const request = { workspace: io.cwd, configPath: file, env: io.env, home: homeOf(io.env) };
  const loaded = loadConfig({ ...request, shipped: shippedConfigs, commandLine: {} }, files);
  const fileOf = (server: string) => {
    const index = loaded.config.servers?.findIndex(({ id }) => id === server) ?? -1;
    return index < 0 ? undefined : loaded.locate(`/servers/${index}/id`)?.file;
  };
  return { config: loaded.config, fileOf, problems: buildPlan(loaded.config, loaded).problems };
}

/** The errors that a change would add. Places in the edited file are dropped: its new text is not on disk. */
export function newProblems(open: OpenConfig, text: string, io: Io): Problem[] {
  const before = open.isNew ? [] : previewConfig(open.file, open.text, io).problems;
  const known = new Set(before.map(({ message }) => message));
  return previewConfig(open.file, text, io)
    .problems.filter(({ severity, message }) => severity === "error" && !known.has(message))
    .map(({ place, ...problem }) =>
      place === undefined || place.file === open.file ? problem : { ...problem, place },
    );
}

/** A hint at programs that the user's own `allow.commands` does not list, so that no workspace may start them. */
export function userListHint(programs: readonly string[], io: Io): string {
  const file = userConfigFile(io.env, homeOf(io.env));
  const content = readUserFile(file);
  const allow = content === undefined ? undefined : readSource(file, content).tree.allow;
  const listed = isTable(allow) && Array.isArray(allow.commands) ? allow.commands : undefined;
  const missing = sortedSet(programs.filter((program) => listed !== undefined && !listed.includes(program)));
  if (missing.length === 0) return "";
  const names = missing.map((program) => JSON.stringify(program)).join(", ");
  return `${file} has its own \`allow.commands\`: add ${names} to it, or they are not started here\n`;
}
