/** `client`: how an MCP client is told of this proxy, printed, written into its file, or taken out of it again. */
import { ConfigError } from "../../base/problem.js";
import type { ClientFacts, Scope } from "../../config/catalogue/clients.js";
import { stanzaOf, viewOf } from "../client-stanza.js";
import {
  type Command,
  exitCodes,
  type Input,
  isOn,
  type Surroundings,
  textFlag,
  UsageError,
} from "../command.js";
import { planConfig, workspaceOf } from "../compile.js";
import { changeParts, shown, writtenBefore } from "../files/client-change.js";
import { clientFiles, fileOf, findClient, isHere, knownClients } from "../files/client-files.js";
import { configFlags } from "../flags.js";
import { table } from "../terminal/table.js";

export const client: Command = {
  name: "client",
  summary: "Sets the proxy up in an MCP client: prints its stanza, writes it, or takes it out.",
  usage: "[NAME] [--write | --remove] [--http] [--scope user|project]",
  description:
    "Without a name: the clients that are known, and which of them are here. With one: what belongs into its file for this\n" +
    "config and workspace, in words that work from any directory and hold no secrets. --write merges it, keeps everything\n" +
    "else in the file, and leaves a copy of the file as it was before the first time.",
  flags: {
    ...configFlags,
    write: {
      type: "boolean",
      description: "Writes it into the client's file; what is there already stays as it is.",
    },
    remove: { type: "boolean", description: "Takes it out of the client's file again." },
    scope: {
      type: "string",
      value: "user|project",
      description:
        "Whose file: your own, or the workspace's. Your own when absent, where the client has one.",
    },
    http: {
      type: "boolean",
      description: "For a gateway that `serve --http` runs, instead of a proxy that the client starts.",
    },
    name: {
      type: "string",
      value: "NAME",
      description: "The client's name for the server; the config's `mcp.name` when absent.",
    },
    npx: {
      type: "boolean",
      description: "Starts the proxy by `npx`, at this version, instead of by its path.",
    },
    absolute: { type: "boolean", description: "Starts it by its path, also where npx fetched it just now." },
    force: {
      type: "boolean",
      description:
        "Replaces or removes an entry of that name that is not about lsp-proxy, or that another client has too.",
    },
  },
  words: { min: 0, max: 1 },
  examples: [
    "lsp-proxy client",
    "lsp-proxy client claude-code --config lspi.toml",
    "lsp-proxy client codex --write",
    "lsp-proxy client gemini --write --scope project --npx",
    "lsp-proxy client codex --remove",
  ],
  async run(input, io) {
    const [id] = input.words;
    if (id === undefined) {
      io.stdout.write(listing(workspaceOf(input, io), io));
      return exitCodes.ok;
    }
    if (isOn(input, "write") && isOn(input, "remove"))
      throw new UsageError("give --write or --remove, not both", "client");
    if (isOn(input, "npx") && isOn(input, "absolute"))
      throw new UsageError("give --npx or --absolute, not both", "client");
    const facts = findClient(id, "client");
    const scope = scopeOf(facts, input);
    const planned = planOf(input, io);
    const { plan } = planned;
    const { remarks, project, ...told } = viewOf(facts, input, io, planned);
    const { name } = told.view;
    const known = planConfig(anything(input), io).plan.tools;
    const within = scope === "project" ? workspaceOf(input, io) : undefined;
    const parts = facts.files.flatMap((file) => {
      const path = fileOf(file, scope, workspaceOf(input, io), io);
      if (path === undefined) return [];
      const before = writtenBefore(path, name, io).filter((written) => written.client === id);
      const past = before.map(({ text }) => text);
      return [{ path, stanza: stanzaOf(facts, file, told, plan, { known, past }), within }];
    });
    for (const remark of remarks) io.stderr.write(`${remark}\n`);
    if (isOn(input, "write") || isOn(input, "remove"))
      await changeParts(parts, { client: facts, name, http: plan.http, project }, input, io);
    else
      for (const { path, stanza } of parts) {
        io.stderr.write(`${parts.length > 1 ? `for ${path}:` : `for ${path}; --write merges it`}\n`);
        io.stdout.write(stanza.text);
      }
    return exitCodes.ok;
  },
};

/** What was written can be taken out again also when the config has problems meanwhile, or is gone. */
function planOf(input: Input, io: Surroundings): ReturnType<typeof planConfig> {
  try {
    return planConfig(input, io);
  } catch (error) {
    if (!(error instanceof ConfigError && isOn(input, "remove"))) throw error;
    return planConfig(anything(input), io);
  }
}

/** Every effect, so that each part of a stanza is there to be taken out, whatever the config says now. */
function anything(input: Input): Input {
  return { ...input, config: { allow: { effects: ["read", "edit", "command"] } } };
}

function scopeOf({ title, files }: ClientFacts, input: Input): Scope {
  const has = (scope: Scope) => files.some((file) => file.entry !== undefined && file[scope] !== undefined);
  const scope = textFlag(input, "scope") ?? (has("user") ? "user" : "project");
  if (scope !== "user" && scope !== "project")
    throw new UsageError("--scope takes user or project", "client");
  if (!has(scope)) throw new UsageError(`${title} has no file of that scope`, "client");
  return scope;
}

function listing(workspace: string, io: Surroundings): string {
  const naming = clientFiles(workspace, io).filter(({ names }) => names);
  const rows = knownClients().map((client) => {
    const known = naming.filter((file) => file.client === client.title).map(({ file }) => shown(file, io));
    return [client.id, client.title, isHere(client, workspace, io) ? "yes" : "", known.join(", ")];
  });
  return `${table(["client", "", "here", "knows lsp-proxy by"], rows)}\n\`lsp-proxy client NAME --write\` sets it up.\n`;
}
