/** Where lsp-proxy has things of its user. It stands alone, so that asking for it loads nothing of a config. */
import { join } from "node:path";

/** The folder of what lsp-proxy remembers. */
export function stateFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_STATE_HOME || join(home, ".local", "state"), "lsp-proxy");
}

/** The folder of the user's own config. */
export function configFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "lsp-proxy");
}
