/**
 * `trust`: shows what a workspace's config may start and records that the user trusts the config and the folder; also
 * lists and revokes what is trusted.
 */
import { homeOf } from "../../base/home.js";
import { trustNames } from "../../config/discover.js";
import { diskFiles } from "../../config/files.js";
import {
  isTrustedFolder,
  listTrusted,
  openTrust,
  removeTrusted,
  removeTrustedFolder,
  type Trust,
} from "../../config/trust/trust.js";
import { type Command, exitCodes, failure, type Io } from "../command.js";
import { workspaceFolder } from "../compile.js";
import { withStateLock } from "../files/state-lock.js";
import { option, toggle, withDefault } from "../flags.js";
import { confirm, isInteractive } from "../terminal/prompt.js";
import { grantLines, inspectTrust, recordTrust } from "../trust-workspace.js";
import { workspaceOf } from "../workspace.js";

export const trust: Command = {
  name: "trust",
  summary: "Trusts a workspace: its config as it is now, and its code, which language servers may run.",
  usage: "[--workspace DIR] [--yes | --list | --remove]",
  description:
    "Shows what the workspace's config would start, and asks for confirmation. Many language servers may run code of\n" +
    "the project, such as build scripts, plugins and packages. In a folder that is not trusted only those are started that\n" +
    "are known to run none, such as pyright and gopls. A config that only limits what is allowed is used without trust.\n\n" +
    "The config is recorded by its hash: after a change it must be trusted again. The folder is recorded by its path. Trust\n" +
    "covers its subfolders and, of a git repository, its worktrees. It does not cover another repository inside it, such as\n" +
    "a clone or a submodule. A config that is named with --config needs no trust.",
  flags: {
    workspace: withDefault(
      option("DIR", "The workspace.", "w"),
      "the folder of the config, or the current one",
    ),
    list: toggle("Lists what is trusted."),
    remove: toggle("Revokes the trust, also of a config that no longer exists."),
    yes: toggle("Records the trust without asking; needed without a terminal.", "y"),
  },
  examples: ["lsp-proxy trust", "lsp-proxy trust --remove --workspace ~/old-project"],
  async run(input, io) {
    const home = homeOf(io.env);
    const store = openTrust(io.env, home);
    if (input.isOn("list")) return list(store, io);
    const workspace = workspaceOf(input, io);
    if (input.isOn("remove")) {
      const removed = await withStateLock(io, () => [
        removeTrusted(store, ...trustNames(workspace, diskFiles)),
        removeTrustedFolder(store, workspace),
      ]);
      const wasTrusted = removed.includes(true);
      if (isTrustedFolder(store, workspace))
        return failure(io, `${workspace} is still trusted as a part of a folder that \`trust --list\` shows`);
      io.stdout.writeLine(`${workspace} ${wasTrusted ? "is no longer" : "was not"} trusted`);
      return wasTrusted ? exitCodes.ok : exitCodes.no;
    }
    const state = inspectTrust(workspaceFolder(input, io), io);
    for (const line of grantLines(state)) io.stdout.writeLine(line);
    if (!input.isOn("yes")) {
      if (!isInteractive(io))
        return failure(
          io,
          "nothing was recorded: there is no terminal to ask on; --yes trusts what is shown",
        );
      if (!(await confirm(io, "Trust this?"))) return exitCodes.no;
    }
    await recordTrust(state, io);
    io.stdout.writeLine(state.found ? "trusted, with the config as shown" : "trusted");
  },
};

function list(store: Trust, io: Io) {
  const { configs, folders } = listTrusted(store);
  for (const { file, hash } of configs) io.stdout.writeLine(`config  ${file}  ${hash}`);
  for (const folder of folders) io.stdout.writeLine(`folder  ${folder}`);
  if (configs.length + folders.length === 0) io.stdout.writeLine("nothing is trusted");
  return exitCodes.ok;
}
