/** `uninstall`: removes servers that `install` installed. */
import { homeOf } from "../../base/home.js";
import { serversFolder } from "../../config/state-folder.js";
import type { Command } from "../command.js";
import { removeServer } from "../install/managed.js";
import { managedNamed } from "../install/managed-names.js";

export const uninstall: Command = {
  name: "uninstall",
  summary: "Removes servers that `install` installed.",
  usage: "SERVER...",
  description: "Removes their folders. Servers that a package manager installed elsewhere are not removed.",
  flags: {},
  words: { min: 1, max: 100 },
  completes: "servers",
  examples: ["lsp-proxy uninstall pyright"],
  async run(input, io) {
    const folder = serversFolder(io.env, homeOf(io.env));
    for (const id of managedNamed(input.words, folder)) {
      removeServer(folder, id);
      io.stdout.write(`${id} is removed\n`);
    }
    return undefined;
  },
};
