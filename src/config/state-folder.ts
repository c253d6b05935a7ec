/**
 * The program's own folders for state, user config and installed servers.
 * Separate, so that using them loads no config code.
 */
import { join } from "node:path";
import { type Environment, folderNamedBy } from "../base/home.js";
import { here, type Platform } from "../base/platform.js";

export function stateFolder(env: Environment, home: string): string {
  return join(folderNamedBy(env, "XDG_STATE_HOME") ?? join(home, ".local", "state"), "lsp-proxy");
}

/** The record of the configs and folders that the user trusts. */
export function trustFile(env: Environment, home: string): string {
  return join(stateFolder(env, home), "trusted.json");
}

export function configFolder(env: Environment, home: string): string {
  return join(folderNamedBy(env, "XDG_CONFIG_HOME") ?? join(home, ".config"), "lsp-proxy");
}

/** The folder of the servers that `lsp-proxy install` installs, each in `<id>/<version>`. */
export function serversFolder(env: Environment, home: string, platform: Platform = here): string {
  const { dataVariable } = platform;
  const own = dataVariable === undefined ? undefined : folderNamedBy(env, dataVariable, platform);
  const folder = folderNamedBy(env, "XDG_DATA_HOME") ?? own ?? join(home, ".local", "share");
  return join(folder, "lsp-proxy", "servers");
}
