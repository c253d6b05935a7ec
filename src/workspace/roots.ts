/** The real folders of a workspace's roots, as they are when its gate is opened. */
import { realpath } from "node:fs/promises";
import { statOf } from "../base/file-stamp.js";
import { ConfigError } from "../base/problem.js";

/** The real path of a root; throws a ConfigError for one that is no folder. */
export async function realRoot(folder: string, index: number): Promise<string> {
  const path = await realpath(folder).catch(() => {
    throw noRoot("A root of the workspace does not exist or cannot be read.", index);
  });
  if (!statOf(path)?.isDirectory()) throw noRoot("A root of the workspace is not a folder.", index);
  return path;
}

/** The real paths of the folders that exist: an extra root may name a toolchain that is not installed. */
export async function existing(folders: string[]): Promise<string[]> {
  const paths = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return paths.filter((path) => path !== undefined);
}

export function noRoot(message: string, index: number): ConfigError {
  const fix = "Name an existing folder in `workspace.roots`.";
  return new ConfigError([
    { code: "config/bad-value", severity: "error", message, pointer: `/workspace/roots/${index}`, fix },
  ]);
}
