/** `client`: prints, writes or removes the stanza of lsp-proxy in an MCP client's config. `codex` is `client codex`. */
import { existsSync } from "node:fs";
import type { ClientFacts, Scope } from "../../config/catalogue/clients.js";
import { changeClientFiles, writtenBefore } from "../clients/change-files.js";
import { clientSetup, stanzaOf } from "../clients/client-entry.js";
import { clientFiles, fileOf, findClient, isClientInstalled, knownClients } from "../clients/client-files.js";
import { packageSpec, whyNotPublished } from "../clients/published.js";
import { type Command, exitCodes, failure, Input, type Io, UsageError } from "../command.js";
import { planConfig, planOrFallback } from "../compile.js";
import { shownPath } from "../files/user-file.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { untrustedWorkspaceFolders } from "../presets.js";
import { table } from "../terminal/layout.js";
import type { Printed } from "../terminal/output.js";
import { askOrHint, inspectTrust } from "../trust-workspace.js";
import { workspaceOf } from "../workspace.js";

export const client: Command = {
  name: "client",
  summary: "Sets up lsp-proxy in an MCP client: prints its entry, writes it, or removes it.",
  usage: "[NAME] [--write | --remove] [--http | --url URL] [--scope user|project]",
  description:
    "Without a name: lists the known clients and which are installed. With a name: prints the entry. It serves every\n" +
    "project in which the client is started, or one with --workspace or --config, and contains no secrets. --write merges it\n" +
    "into the client's file, keeps everything else, and keeps a backup of the file as it was before the first change.",
  flags: {
    ...configFlags,
    write: toggle("Writes the entry into the client's file; everything else in it stays."),
    remove: toggle("Removes the entry from the client's file."),
    scope: withDefault(
      option("user|project", "Your own file or the workspace's."),
      "your own, if there is one",
    ),
    http: toggle("Connects to a gateway run by `serve --http` instead of starting lsp-proxy."),
    url: option(
      "URL",
      "Like --http, for a gateway at this address; without a path: `http.path` of the config.",
    ),
    private: toggle("Starts `serve` without --shared: the client has language servers of its own."),
    name: withDefault(option("NAME", "The client's name for the server."), "`mcp.name` of the config"),
    npx: toggle("Starts lsp-proxy with `npx`, at this version, instead of by its path; npm must have it."),
    absolute: toggle("Starts lsp-proxy by its path, even if it is on PATH or in the cache of npx."),
    force: toggle("Replaces or removes an entry that is not lsp-proxy's, or that another client uses too."),
  },
  words: { min: 0, max: 1 },
  completes: "clients",
  examples: [
    "lsp-proxy client",
    "lsp-proxy client codex --write",
    "lsp-proxy client gemini --scope project --npx",
    "lsp-proxy client cursor --write --url https://lsp.example.org/mcp",
  ],
  async run(input, io) {
    const [id] = input.words;
    const workspace = workspaceOf(input, io);
    if (id === undefined) {
      io.stdout.write(listing(workspace, io));
      return exitCodes.ok;
    }
    for (const [one, other] of [
      ["write", "remove"],
      ["npx", "absolute"],
    ] as const)
      if (input.isOn(one) && input.isOn(other)) throw new UsageError(`give --${one} or --${other}, not both`);
    const facts = findClient(id);
    const prepared = await partsOf(facts, input, io);
    if (typeof prepared === "string") return failure(io, prepared);
    const { parts, change, planned } = prepared;
    if (input.isOn("write") || input.isOn("remove")) {
      await changeClientFiles(parts, change, input, io);
      const isFound = planned.loaded.main.kind !== "named" && !input.isOn("trust-workspace");
      // A gateway elsewhere serves a project of its own.
      const isHere = input.text("url") === undefined;
      if (input.isOn("write") && isFound && isHere) await askOrHint(inspectTrust(workspace, io), io);
      return exitCodes.ok;
    }
    for (const { path, stanza } of parts) {
      io.stderr.writeLine(`for ${path}${parts.length > 1 ? ":" : "; --write merges it"}`);
      io.stdout.write(stanza.text);
    }
  },
};

/** Writes the entry of a client, without a question. Returns why it cannot, if so. */
export async function writeClient(
  facts: ClientFacts,
  workspace: string,
  io: Io,
): Promise<string | undefined> {
  const input = new Input({ write: true });
  const there = { ...io, cwd: workspace };
  const prepared = await partsOf(facts, input, there);
  if (typeof prepared === "string") return prepared;
  await changeClientFiles(prepared.parts, prepared.change, input, there);
  return undefined;
}

/** The stanzas for a client's files, and what is known about the change; or why there are none. Remarks are printed. */
async function partsOf(facts: ClientFacts, input: Input, io: Io) {
  const workspace = workspaceOf(input, io);
  const scope = scopeOf(facts, input);
  const planned = await planOrFallback(input, io, input.isOn("remove"), allEffects);
  const { plan } = planned;
  const setup = clientSetup(facts, scope, input, io, planned);
  const { name, connection } = setup.view;
  if ("isFetched" in connection && connection.isFetched && !input.isOn("remove")) {
    const why = await whyNotPublished(io, untrustedWorkspaceFolders(input, io));
    if (why !== undefined)
      return `\`npx\` would download ${packageSpec()}, but ${why}; --absolute starts this installation by its path`;
  }
  const isChange = input.isOn("write") || input.isOn("remove");
  const within = scope === "project" ? workspace : undefined;
  const files = facts.files.flatMap((file) => {
    const path = fileOf(file, scope, workspace, io);
    return path === undefined ? [] : [{ file, path }];
  });
  // They are the tools that any project may have, and those that may be in a file that exists.
  const known =
    setup.servesAll || (isChange && files.some(({ path }) => existsSync(path)))
      ? (await planConfig(input.withConfig(allEffects), io)).plan.tools
      : [];
  const parts = files.map(({ file, path }) => {
    const before = writtenBefore(path, name, io).filter((written) => written.client === facts.id);
    const past = before.map(({ text }) => text);
    return { path, stanza: stanzaOf(facts, file, setup, plan, { known, past }), within };
  });
  for (const remark of setup.remarks) io.stderr.writeLine(remark);
  const { gateway, project } = setup;
  const change = { client: facts, name, http: plan.http, gateway, project };
  return { parts, change, planned };
}

export const codex: Command = {
  ...client,
  name: "codex",
  summary: "Sets up lsp-proxy in Codex: the short form of `client codex`.",
  usage: client.usage.replace("[NAME] ", ""),
  description:
    "Prints an entry that serves every project; --write merges it into ~/.codex/config.toml, or with --scope project into\n" +
    ".codex/config.toml of a project that Codex trusts. It contains no secrets.",
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy codex --write", "lsp-proxy codex --remove"],
  run: (input, io) => client.run(new Input(input.flags, ["codex"]), io),
};

/** A config with every tool, so that each part of an older stanza is recognised. */
const allEffects = { allow: { effects: ["read", "edit", "command"] } };

function scopeOf({ title, files }: ClientFacts, input: Input): Scope {
  const has = (scope: Scope) => files.some((file) => file.entry !== undefined && file[scope] !== undefined);
  const scope = input.text("scope") ?? (has("user") ? "user" : "project");
  if (scope !== "user" && scope !== "project") throw new UsageError("--scope takes user or project");
  if (!has(scope)) throw new UsageError(`${title} has no file of that scope`);
  return scope;
}

function listing(workspace: string, io: Io): Printed {
  const files = clientFiles(workspace, io).filter(({ names }) => names);
  const rows = knownClients().map((client) => {
    const own = files.filter(({ id }) => id === client.id).map(({ file }) => shownPath(file, io));
    return [client.id, client.title, isClientInstalled(client, workspace, io) ? "yes" : "", own.join(", ")];
  });
  const headings = ["client", "", "installed", "has lsp-proxy in"];
  return [...table(headings, rows, io.stdout.columns), "\n`lsp-proxy client NAME --write` sets it up.\n"];
}
