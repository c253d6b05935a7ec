/** The servers of a plan in the words of other programs, with a note for everything that those have no words for. */
import type { ServerPlan } from "../abi/plan.js";
import type { Json, JsonObject } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { tomlKey, tomlText } from "../base/toml-text.js";

/** A text for another program, and what it does not carry. */
export interface Exported {
  text: string;
  notes: string[];
}

/** `.lsp.json` as Claude Code and qwen-code read it. */
export function claudeServers(servers: readonly ServerPlan[]): Exported {
  const notes = servers.flatMap((server) => [
    ...lostFiles(server, server.filenames, "filenames"),
    ...lostFiles(server, server.globs, "globs"),
    ...lostParts(server, ["rootMarkers"]),
  ]);
  const tables = servers.map((server) => [
    server.id,
    {
      ...reached(server),
      extensionToLanguage: Object.fromEntries(
        server.extensions.map((extension) => [`.${extension}`, languageOf(server, extension)]),
      ),
      ...present("env", server.env),
      ...present("initializationOptions", server.initializeOptions),
      ...present("settings", server.settings),
      startupTimeout: server.initializeTimeoutMs,
      maxRestarts: server.restart.max,
    },
  ]);
  return { text: `${JSON.stringify(Object.fromEntries(tables), null, 2)}\n`, notes };
}

/** Entries for Helix's `languages.toml`. */
export function helixLanguages(servers: readonly ServerPlan[]): Exported {
  const own = servers.filter(({ transport }) => transport.kind === "stdio");
  const far = servers.filter(({ transport }) => transport.kind !== "stdio");
  const notes = [
    ...far.map(({ id }) => `${id}: Helix starts its servers itself; left out`),
    ...own.flatMap((server) => lostParts(server, [])),
  ];
  const languages = sortedSet(own.flatMap(languagesOf));
  const lines = [
    ...own.flatMap(helixServer),
    ...languages.flatMap((language) =>
      helixLanguage(
        language,
        own.filter((server) => languagesOf(server).includes(language)),
      ),
    ),
  ];
  return { text: `${lines.join("\n").trimEnd()}\n`, notes };
}

function helixServer(server: ServerPlan): string[] {
  const [program = "", ...words] = server.command;
  const options = server.initializeOptions ?? server.settings;
  return [
    `[language-server.${tomlKey(server.id)}]`,
    `command = ${tomlText(program)}`,
    `args = ${tomlText([...words, ...server.args])}`,
    ...(isEmpty(server.env) ? [] : [`environment = ${tomlText(server.env)}`]),
    ...(isEmpty(options) ? [] : [`config = ${tomlText(options)}`]),
    `timeout = ${Math.ceil(server.requestTimeoutMs / 1000)}`,
    "",
  ];
}

function helixLanguage(language: string, servers: readonly ServerPlan[]): string[] {
  const types = servers.flatMap((server) => [
    ...server.extensions.filter((extension) => languageOf(server, extension) === language),
    ...[...server.filenames, ...server.globs.map((glob) => glob.replace(/^\*\*\//, ""))]
      .filter((name) => languageOf(server, name) === language)
      .map((glob) => ({ glob })),
  ]);
  const roots = sortedSet(servers.flatMap(({ rootMarkers }) => rootMarkers));
  const unique = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  return [
    "[[language]]",
    `name = ${tomlText(language)}`,
    `language-id = ${tomlText(language)}`,
    `scope = ${tomlText(`source.${language}`)}`,
    `file-types = ${tomlText(unique)}`,
    `roots = ${tomlText(roots)}`,
    `language-servers = ${tomlText(servers.map(({ id }) => id))}`,
    "",
  ];
}

function reached({ command, args, transport }: ServerPlan): JsonObject {
  if (transport.kind === "tcp")
    return { transport: "socket", socket: { host: transport.host, port: transport.port } };
  const [program = "", ...words] = command;
  return { command: program, args: [...words, ...args] };
}

function languagesOf(server: ServerPlan): string[] {
  const named = [...server.extensions, ...server.filenames, ...server.globs];
  return sortedSet(named.map((name) => languageOf(server, name)));
}

function languageOf({ languageIds, languageId }: ServerPlan, name: string): string {
  return (Object.hasOwn(languageIds, name) ? languageIds[name] : undefined) ?? languageId;
}

function present(key: string, value: Json): JsonObject {
  return isEmpty(value) ? {} : { [key]: value };
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function lostFiles({ id }: ServerPlan, names: readonly string[], key: string): string[] {
  return names.length === 0 ? [] : [`${id}: ${key} (${names.join(", ")}) have no counterpart`];
}

/** Parts of a server that only we have, where it has them. */
function lostParts(server: ServerPlan, more: readonly (keyof ServerPlan)[]): string[] {
  const parts: { [key: string]: boolean } = {
    replies: !isEmpty(server.replies),
    forward: server.forward.length > 0,
    client_capabilities: !isEmpty(server.clientCapabilities),
    features: server.features.only !== null || server.features.except.length > 0,
    root_markers: more.includes("rootMarkers") && server.rootMarkers.length > 0,
  };
  const lost = Object.keys(parts).filter((key) => parts[key]);
  return lost.length === 0
    ? []
    : [`${server.id}: ${lost.join(", ")} ${lost.length > 1 ? "have" : "has"} no counterpart`];
}
