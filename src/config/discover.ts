/** Which config counts: the one that was named, else the first that is found in the workspace, else none. */
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { codes } from "../base/codes.js";
import { CONFIG_NAMES } from "../base/own-names.js";
import { isInside } from "../base/paths.js";
import type { Problem } from "../base/problem.js";
import { type Files, readOrExplain } from "./files.js";
import { configFolder } from "./state-folder.js";

export interface Environment {
  [name: string]: string | undefined;
}

export interface DiscoverRequest {
  workspace: string;
  configPath?: string | undefined;
  env: Environment;
}

/** The main config, found but not yet read. */
export type Discovered =
  | { kind: "named" | "discovered"; file: string; content: string | Uint8Array }
  | { kind: "embedded" }
  | { kind: "missing"; problem: Problem };

/** Finds the main config of a workspace. */
export function discover(request: DiscoverRequest, files: Files): Discovered {
  const named = request.configPath ?? nonEmpty(request.env.LSPI_CONFIG_PATH);
  if (named !== undefined) {
    // The same variable would name, and so trust, a file of whatever workspace it is set in.
    if (request.configPath === undefined && !isAbsolute(named))
      return { kind: "missing", problem: relativeVariable(named) };
    const file = resolve(request.workspace, named);
    const answer = readOrExplain(files, file);
    if ("content" in answer) return { kind: "named", file, content: answer.content };
    const by = request.configPath === undefined ? ", named by `LSPI_CONFIG_PATH`," : "";
    return { kind: "missing", problem: missing(file, by, answer.failure) };
  }
  for (const name of CONFIG_NAMES) {
    const file = join(request.workspace, name);
    const folder = files.realpath(request.workspace);
    const real = files.realpath(join(folder, name));
    if (!isInside(real, folder)) return { kind: "missing", problem: strayed(file) };
    // What was judged is what is read, so that a link turned meanwhile leads nowhere else.
    const answer = readOrExplain(files, real);
    if ("content" in answer) return { kind: "discovered", file, content: answer.content };
    if (!answer.absent) return { kind: "missing", problem: missing(file, "", answer.failure) };
  }
  return { kind: "embedded" };
}

/**
 * The name by which a found config is trusted: where it was found, in the workspace's real folder. A link to a config
 * that was trusted elsewhere is another config, since its paths start elsewhere.
 */
export function trustName(workspace: string, file: string, files: Files): string {
  return join(files.realpath(workspace), relative(workspace, file));
}

/** The names of every config that could be found in a workspace, whether there is one or not. */
export function trustNames(workspace: string, files: Files): string[] {
  return CONFIG_NAMES.map((name) => trustName(workspace, join(workspace, name), files));
}

function relativeVariable(value: string): Problem {
  const code = "config/relative-variable";
  const message = `\`LSPI_CONFIG_PATH\` is ${JSON.stringify(value)}, which is another file in each workspace`;
  return { code, severity: "error", message, pointer: "", fix: codes[code].fix };
}

function strayed(file: string): Problem {
  const code = "config/strayed";
  const message = `\`${file}\` is a link to a file outside the workspace`;
  return { code, severity: "error", message, pointer: "", fix: codes[code].fix };
}

function missing(file: string, by: string, why: string): Problem {
  const code = "config/not-found";
  return { code, severity: "error", message: `\`${file}\`${by} ${why}`, pointer: "", fix: codes[code].fix };
}

/** The user's own config. */
export function userConfigFile(env: Environment, home: string): string {
  return join(configFolder(env, home), "config.toml");
}

/** The folder that relative paths of a config start from. */
export function baseOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === ".lspi" ? dirname(folder) : folder;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
