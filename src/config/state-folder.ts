/** The program's own folders for state and user config. Separate, so that using them loads no config code. */
import { join } from "node:path";

export function stateFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_STATE_HOME || join(home, ".local", "state"), "lsp-proxy");
}

export function configFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "lsp-proxy");
}
