/** `remove`: one server less in the config; everything else in it stays as it is written. */
import { nearest } from "../../base/nearest.js";
import { ConfigError } from "../../base/problem.js";
import { type Command, exitCodes, isOn, UsageError } from "../command.js";
import { newProblems, openConfig, tryOut } from "../edit-config.js";
import { configFlags } from "../flags.js";
import { writeUserFile } from "../user-file.js";

export const remove: Command = {
  name: "remove",
  summary: "Takes a server out of the config; comments and layout stay.",
  usage: "SERVER [--config FILE]",
  description:
    "Takes the server's table out with the comment right above it, and its program out of `allow.commands` when no other\n" +
    "server uses it. A config that would have problems is not written.",
  flags: {
    config: configFlags.config as Command["flags"][string],
    workspace: configFlags.workspace as Command["flags"][string],
    "dry-run": { type: "boolean", description: "Prints the new config instead of writing it." },
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy remove pyright", "lsp-proxy remove rust --config lspi.toml --dry-run"],
  async run(input, io) {
    const [id = ""] = input.words;
    const open = openConfig(input, io);
    if (open.isNew) throw new UsageError(`${open.name} does not exist`, "remove");
    const { servers = [] } = tryOut(open, open.text, io).config;
    const server = servers.find((entry) => entry.id === id);
    const shorter = open.editor.withoutServer(open.text, id);
    if (server === undefined || shorter === open.text) {
      const near = nearest(
        id,
        servers.map((entry) => entry.id),
      );
      const hint = near === undefined || near === id ? "" : `; did you mean \`${near}\`?`;
      throw new UsageError(`${open.name} itself has no server \`${id}\`${hint}`, "remove");
    }
    const [program] = [server.command ?? []].flat();
    const isUsed = servers.some((entry) => entry.id !== id && [entry.command ?? []].flat()[0] === program);
    const text = program === undefined || isUsed ? shorter : open.editor.withoutAllowed(shorter, program);
    const problems = newProblems(open, text, io);
    if (problems.length > 0) throw new ConfigError(problems);
    if (isOn(input, "dry-run")) {
      io.stdout.write(text);
      return exitCodes.ok;
    }
    writeUserFile(open.file, text);
    io.stdout.write(`changed ${open.name}: removed ${id}\n`);
    if (open.isDiscovered) io.stdout.write("`lsp-proxy trust` lets it start programs as it is now\n");
    return exitCodes.ok;
  },
};
