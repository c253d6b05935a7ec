/** A config that a command changes: found, read, tried out before it is written, and replaced as a whole. */
import { chmodSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Plan } from "../abi/plan.js";
import { CONFIG_NAMES } from "../base/own-names.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { type ConfigEditor, editorOf } from "../config/edit.js";
import { diskFiles } from "../config/files.js";
import { loadConfig } from "../config/load.js";
import { readSource } from "../config/read.js";
import type { Config } from "../config/schema.js";
import { buildPlan } from "../plan/build.js";
import { homeOf, type Input, type Surroundings, textFlag } from "./command.js";
import { workspaceOf } from "./compile.js";
import { shippedConfigs } from "./shipped.js";

/** A config file as it stands, or as it would be begun. */
export interface OpenConfig {
  file: string;
  /** Its name for people. */
  name: string;
  isNew: boolean;
  /** Whether it is found by itself, and so needs trust before it starts programs. */
  isDiscovered: boolean;
  text: string;
  editor: ConfigEditor;
}

/** The file that a workspace's config is written to when there is none yet. */
export const NEW_CONFIG = "lspi.toml";

/** The config that the command line names, or the workspace's own. Throws a ConfigError when it cannot be read. */
export function openConfig(input: Input, io: Surroundings): OpenConfig {
  const workspace = workspaceOf(input, io);
  const named = textFlag(input, "config");
  const found = CONFIG_NAMES.map((name) => join(workspace, name)).find((file) => existsSync(file));
  const file = named === undefined ? (found ?? join(workspace, NEW_CONFIG)) : resolve(io.cwd, named);
  const content = diskFiles.read(file);
  const { text, problems, broken } = readSource(file, content ?? "");
  if (broken && content !== undefined) throw new ConfigError(problems);
  const name = relative(io.cwd, file);
  return {
    file,
    name: name.startsWith("..") ? file : name,
    isNew: content === undefined,
    isDiscovered: named === undefined,
    text: content === undefined ? "" : text,
    editor: editorOf(file),
  };
}

/** What a text in the place of the config's would mean. Starts and writes nothing. */
export function tryOut(
  open: Pick<OpenConfig, "file">,
  text: string,
  io: Surroundings,
): { config: Config; plan: Plan; problems: Problem[] } {
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
  return { config: loaded.config, ...buildPlan(loaded.config, loaded) };
}

/** Replaces a file as a whole; its permissions stay. */
export function replaceFile(file: string, text: string): void {
  const staged = `${file}.${process.pid}.new`;
  try {
    writeFileSync(staged, text, { flag: "wx" });
    if (existsSync(file)) chmodSync(staged, statSync(file).mode & 0o777);
    renameSync(staged, file);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}

/** The errors that a change would bring, none when the config had them before. */
export function newProblems(open: OpenConfig, text: string, io: Surroundings): Problem[] {
  const known = new Set(open.isNew ? [] : tryOut(open, open.text, io).problems.map(({ message }) => message));
  return tryOut(open, text, io).problems.filter(
    ({ severity, message }) => severity === "error" && !known.has(message),
  );
}
