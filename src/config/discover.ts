/** Finds the main config: the named one, else the first that exists in the workspace, else none. */
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Code } from "../base/codes.js";
import { CONFIG_NAMES } from "../base/config-names.js";
import { isInside } from "../base/paths.js";
import { ConfigError } from "../base/problem.js";
import { type Files, readOrExplain } from "./files.js";
import { configFolder } from "./state-folder.js";
import { problemWithoutPlace } from "./text/source.js";

export interface Environment {
  [name: string]: string | undefined;
}

export interface DiscoverRequest {
  /** Absolute. */
  workspace: string;
  configPath?: string | undefined;
  env: Environment;
}

type Discovered =
  | { kind: "named"; file: string; content: string | Uint8Array }
  | {
      kind: "discovered";
      file: string;
      content: string | Uint8Array;
      /** Names of further configs in the workspace, which do not count. */
      ignored: string[];
    }
  | { kind: "embedded" };

/** Finds the main config. Throws when a config is named or found and cannot be used. */
export function discover(request: DiscoverRequest, files: Files): Discovered {
  return namedConfig(request, files) ?? configIn(request.workspace, files);
}

/** The config that the command line or a variable names. Throws when it cannot be used. */
export function namedConfig(request: DiscoverRequest, files: Files): Discovered | undefined {
  const variable = request.env.LSPI_CONFIG_PATH || undefined;
  if (request.configPath !== undefined) return named(request.configPath, "", request, files);
  if (variable !== undefined) {
    if (isAbsolute(variable)) return named(variable, ", named by `LSPI_CONFIG_PATH`,", request, files);
    // A relative path would name, and so trust, a file of every workspace.
    const message = `\`LSPI_CONFIG_PATH\` is the relative path ${JSON.stringify(variable)}, which is a different file in each workspace`;
    throw failure("config/relative-variable", message);
  }
  return undefined;
}

function configIn(workspace: string, files: Files): Discovered {
  for (const [index, name] of CONFIG_NAMES.entries()) {
    const file = join(workspace, name);
    const folder = files.realpath(workspace);
    const real = files.realpath(join(folder, name));
    if (!isInside(real, folder))
      throw failure("config/strayed", `\`${file}\` is a link to a file outside the workspace`);
    // Read the path that was checked, so that a link changed meanwhile has no effect.
    const result = readOrExplain(files, real);
    if ("content" in result) {
      const isThere = (other: string) => {
        const further = readOrExplain(files, join(folder, other));
        return "content" in further || !further.absent;
      };
      const ignored = CONFIG_NAMES.slice(index + 1).filter(isThere);
      return { kind: "discovered", file, content: result.content, ignored };
    }
    if (!result.absent) throw failure("config/not-found", `\`${file}\` ${result.failure}`);
  }
  return { kind: "embedded" };
}

function named(path: string, by: string, { workspace }: DiscoverRequest, files: Files): Discovered {
  const file = resolve(workspace, path);
  const result = readOrExplain(files, file);
  if ("content" in result) return { kind: "named", file, content: result.content };
  throw failure("config/not-found", `\`${file}\`${by} ${result.failure}`);
}

function failure(code: Code, message: string): ConfigError {
  return new ConfigError([problemWithoutPlace(code, message)]);
}

/**
 * The name by which a discovered config is trusted: its path in the workspace's real folder. A link to a config that is
 * trusted elsewhere is another config, because its relative paths differ.
 */
export function trustName(workspace: string, file: string, files: Files): string {
  return join(files.realpath(workspace), relative(workspace, file));
}

export function trustNames(workspace: string, files: Files): string[] {
  return CONFIG_NAMES.map((name) => trustName(workspace, join(workspace, name), files));
}

export function userConfigFile(env: Environment, home: string): string {
  return join(configFolder(env, home), "config.toml");
}

/** The folder that relative paths of a config start from. */
export function baseOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === ".lspi" ? dirname(folder) : folder;
}
