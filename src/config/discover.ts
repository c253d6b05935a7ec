/** Which config counts: the one that was named, else the first that is found in the workspace, else none. */
import { basename, dirname, join, resolve } from "node:path";
import { codes } from "../base/codes.js";
import { CONFIG_NAMES } from "../base/own-names.js";
import type { Problem } from "../base/problem.js";
import { type Files, readOrExplain } from "./files.js";

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
    const file = resolve(request.workspace, named);
    const answer = readOrExplain(files, file);
    if ("content" in answer) return { kind: "named", file, content: answer.content };
    const by = request.configPath === undefined ? ", named by `LSPI_CONFIG_PATH`," : "";
    return { kind: "missing", problem: missing(file, by, answer.failure) };
  }
  for (const name of CONFIG_NAMES) {
    const file = join(request.workspace, name);
    const answer = readOrExplain(files, file);
    if ("content" in answer) return { kind: "discovered", file, content: answer.content };
    if (!answer.absent) return { kind: "missing", problem: missing(file, "", answer.failure) };
  }
  return { kind: "embedded" };
}

function missing(file: string, by: string, why: string): Problem {
  const code = "config/not-found";
  return { code, severity: "error", message: `\`${file}\`${by} ${why}`, pointer: "", fix: codes[code].fix };
}

/** The user's own config. */
export function userConfigFile(env: Environment, home: string): string {
  return join(nonEmpty(env.XDG_CONFIG_HOME) ?? join(home, ".config"), "lsp-proxy", "config.toml");
}

/** The folder that relative paths of a config start from. */
export function baseOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === ".lspi" ? dirname(folder) : folder;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
