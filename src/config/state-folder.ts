/** Where lsp-proxy remembers things of its user. It stands alone, so that asking for it loads nothing of a config. */
import { join } from "node:path";

/** The folder of what lsp-proxy remembers. */
export function stateFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_STATE_HOME || join(home, ".local", "state"), "lsp-proxy");
}
