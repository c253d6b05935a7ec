/** `client`: how an MCP client is told of this proxy, printed, written into its file, or taken out of it again. */
import { relative } from "node:path";
import type { HttpPlan } from "../../abi/plan.js";
import { codes } from "../../base/codes.js";
import { ConfigError } from "../../base/problem.js";
import type { ClientFacts, Scope } from "../../config/clients.js";
import { entryIn, type Stanza, withoutPlace, withoutStanza, withStanza } from "../../config/entry.js";
import { changeFile, changeWords, currentText } from "../change-file.js";
import {
  clientFiles,
  fileOf,
  findClient,
  isHere,
  isOurEntry,
  knownClients,
  startedFor,
} from "../client-files.js";
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
import { configFlags } from "../flags.js";
import { table } from "../table.js";

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
      description: "Replaces or removes an entry of that name that is not about lsp-proxy.",
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
    const { remarks, ...told } = viewOf(facts, input, io, planned);
    const known = planConfig(anything(input), io).plan.tools;
    const within = scope === "project" ? workspaceOf(input, io) : undefined;
    const parts = facts.files.flatMap((file) => {
      const path = fileOf(file, scope, workspaceOf(input, io), io);
      return path === undefined ? [] : [{ path, stanza: stanzaOf(facts, file, told, plan, known), within }];
    });
    for (const remark of remarks) io.stderr.write(`${remark}\n`);
    if (isOn(input, "write") || isOn(input, "remove")) change(parts, plan.http, input, io);
    else
      for (const { path, stanza } of parts) {
        io.stderr.write(`${parts.length > 1 ? `for ${path}:` : `for ${path}; --write merges it`}\n`);
        io.stdout.write(stanza.text);
      }
    return exitCodes.ok;
  },
};

interface Part {
  path: string;
  stanza: Stanza;
  /** The folder that the file must lie in, if any. */
  within: string | undefined;
}

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

/** Changes all files or, where one of them would be refused, none. */
function change(parts: readonly Part[], http: HttpPlan, input: Input, io: Surroundings): void {
  const isRemoval = isOn(input, "remove");
  const make = (part: Part, text: string) => {
    checkOwner(part, http, text, input);
    return (isRemoval ? withoutStanza : withStanza)(part.path, text, part.stanza);
  };
  const remarks = parts.flatMap((part) => {
    const text = currentText(part.path, part.within);
    make(part, text);
    return isRemoval ? [] : remarksOn(part, text);
  });
  for (const remark of remarks) io.stderr.write(`${remark}\n`);
  for (const part of parts) {
    const done = changeFile(part.path, (text) => make(part, text), {
      within: part.within,
      isNothing: (text) => isRemoval && isEmpty(text),
      keepsCopy: (text) => !isAllOurs(part, text),
      isUndone: (kept, after) => isRemoval && isUndone(part, kept, after),
    });
    io.stdout.write(`${changeWords[done]} ${shown(part.path, io)}\n`);
  }
}

/** What a person would not expect of the change: another project's entry replaced, or a list that could not be joined. */
function remarksOn({ path, stanza }: Part, text: string): string[] {
  const [old, now] = [text, stanza.text].map((of) => startedFor(entryIn(path, of, stanza)));
  const isOther = old !== undefined && now !== undefined && old !== now;
  const name = stanza.entry?.at(-1);
  return [
    ...(isOther ? [`\`${name}\` in ${path} was for ${old} and is for ${now} now; --name keeps both`] : []),
    ...withoutPlace(path, text, stanza).map(
      (key) =>
        `\`${key}\` in ${path} is a value of its own and stays: which tools run unasked and which ask is decided by it`,
    ),
  ];
}

function isEmpty(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

/** A file that has nothing but what we wrote was not there before. */
function isAllOurs({ path, stanza }: Part, text: string): boolean {
  const rest = withoutStanza(path, text, stanza);
  return rest !== text && isEmpty(rest);
}

/** Whether a file is again what it was, but for what writing and removing cannot know: empty tables, and how it ended. */
function isUndone({ path, stanza }: Part, kept: string, after: string): boolean {
  try {
    if (withoutStanza(path, kept, stanza) !== kept) return false;
    return withoutStanza(path, withStanza(path, kept, stanza), stanza) === after;
  } catch (error) {
    // A copy that cannot be read, or has no place for the entry, is none of what was written into.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** An entry of that name that somebody made for something else is not touched unasked. */
function checkOwner({ path, stanza }: Part, http: HttpPlan, text: string, input: Input): void {
  const entry = entryIn(path, text, stanza);
  if (entry === undefined || isOn(input, "force") || isOurEntry(entry, http)) return;
  const code = "client/taken";
  const message = `\`${stanza.entry?.at(-1)}\` in ${path} is something else`;
  throw new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}

function shown(path: string, io: Surroundings): string {
  const way = relative(io.cwd, path);
  return way.startsWith("..") ? path : way;
}

function listing(workspace: string, io: Surroundings): string {
  const naming = clientFiles(workspace, io).filter(({ names }) => names);
  const rows = knownClients().map((client) => {
    const known = naming.filter((file) => file.client === client.title).map(({ file }) => shown(file, io));
    return [client.id, client.title, isHere(client, workspace, io) ? "yes" : "", known.join(", ")];
  });
  return `${table(["client", "", "here", "knows lsp-proxy by"], rows)}\n\`lsp-proxy client NAME --write\` sets it up.\n`;
}
