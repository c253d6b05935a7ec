/** From another program's servers to ours: keys by the format's table, presets where the catalogue knows the program. */
import { canonicalText, type JsonObject } from "../../base/json.js";
import type { Catalogue, Preset } from "../catalogue.js";
import type { PresetFacts } from "../preset-index.js";
import type { PresetConfig } from "../schema.js";
import type { ForeignServer, Format } from "./format.js";

/** What an import gave, and what it could not carry over. */
export interface Imported {
  servers: JsonObject[];
  notes: string[];
}

/** Programs that fetch another program and run it. */
const FETCHERS: ReadonlySet<string> = new Set(["npx", "bunx", "pnpx", "uvx", "pipx"]);

/** The servers of a tree of that format. */
export function importServers(tree: JsonObject, format: Format, catalogue: Catalogue): Imported {
  const notes: string[] = [];
  const servers: JsonObject[] = [];
  for (const foreign of format.servers(tree)) {
    const own = carried(foreign, format, notes);
    const bare = withoutFetcher(own, foreign.at, notes);
    const preset = presetOf(bare, foreign.name, catalogue);
    const id = uniqueId(foreign.name ?? preset?.config.id ?? String(bare.command ?? "server"), servers);
    const server: JsonObject = { id, ...(preset ? lessPreset(bare, preset.config) : bare) };
    if (isComplete(server)) servers.push(server);
    else notes.push(`${foreign.at}: it names no program, and the catalogue has none of that name; left out`);
  }
  return { servers: inTurn(servers, catalogue), notes };
}

function isComplete({ kind, command, transport }: JsonObject): boolean {
  return [kind, command, transport].some((part) => part !== undefined);
}

function carried({ entry, at }: ForeignServer, format: Format, notes: string[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(entry)) {
    const carry = Object.hasOwn(format.keys, key) ? format.keys[key] : undefined;
    const note = (text: string) => notes.push(`${at}.${key}: ${text}`);
    if (carry === undefined) note("has no counterpart here");
    else Object.assign(out, carry(value, note));
  }
  return out;
}

/** A server that is fetched at each start becomes the program itself: nothing is downloaded unasked here. */
function withoutFetcher(server: JsonObject, at: string, notes: string[]): JsonObject {
  const args = Array.isArray(server.args) ? server.args : [];
  if (typeof server.command !== "string" || !FETCHERS.has(server.command)) return server;
  const words = args.filter((word, index) => !isFlag(word) && !takesValue(args[index - 1]));
  const [program] = words;
  if (typeof program !== "string") return server;
  notes.push(
    `${at}.command: \`${server.command}\` would fetch it at each start; \`${program}\` must be installed`,
  );
  return { ...server, command: program.replace(/@[^@/]*$/, ""), args: args.slice(args.indexOf(program) + 1) };
}

function isFlag(word: unknown): boolean {
  return typeof word === "string" && word.startsWith("-");
}

function takesValue(word: unknown): boolean {
  return word === "--from" || word === "-p" || word === "--package";
}

/** The preset whose program it is; of several the one that is started with the same arguments. */
function presetOf(server: JsonObject, name: string | undefined, catalogue: Catalogue): Preset | undefined {
  const { command, args, kind } = server;
  if (typeof kind === "string") return catalogue.preset(kind);
  // Some programs know servers by their names alone, and so does the catalogue.
  if (command === undefined) return name === undefined ? undefined : catalogue.preset(name);
  const mine = catalogue.facts().filter((facts) => programOf(facts) === command);
  const presets = mine.flatMap(({ id }) => catalogue.preset(id) ?? []);
  return (
    presets.find(({ config }) => canonicalText(config.args ?? []) === canonicalText(args ?? [])) ??
    presets.find(({ config }) => config.interpreter !== true)
  );
}

function programOf({ command }: PresetFacts): string | undefined {
  return [command ?? []].flat()[0];
}

/** The server as an entry over its preset: what the preset says alike is not said again. */
function lessPreset(server: JsonObject, preset: PresetConfig): JsonObject {
  if (server.kind !== undefined) return server;
  const same = (key: string) =>
    canonicalText(server[key]) === canonicalText(preset[key as keyof PresetConfig]);
  const own = Object.keys(server).filter((key) => !same(key) && !covers(key, server, preset));
  return { kind: preset.id, ...Object.fromEntries(own.map((key) => [key, server[key]])) } as JsonObject;
}

/** Whether the preset says at least as much: the same extensions and ids among others. */
function covers(key: string, server: JsonObject, preset: PresetConfig): boolean {
  const extensions = Array.isArray(server.extensions) ? server.extensions.map(String) : [];
  if (key === "extensions") return extensions.every((extension) => preset.extensions?.includes(extension));
  // Which id a file has is the preset's business, once it knows the file.
  return (key === "language_id" || key === "language_ids") && covers("extensions", server, preset);
}

function uniqueId(name: string, servers: readonly JsonObject[]): string {
  const base =
    name
      .replaceAll(/[^A-Za-z0-9_.-]/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, 60) || "server";
  const taken = new Set(servers.map(({ id }) => id));
  let id = base;
  for (let count = 2; taken.has(id); count++) id = `${base}-${count}`;
  return id;
}

/** Servers of the same files are asked in the order in which they were listed. */
function inTurn(servers: readonly JsonObject[], catalogue: Catalogue): JsonObject[] {
  const claims = servers.map((server) => claimsOf(server, catalogue));
  return servers.map((server, index) => {
    const before = claims
      .slice(0, index)
      .filter((earlier) => claims[index]?.some((claim) => earlier.includes(claim)));
    return before.length === 0 || server.priority !== undefined
      ? server
      : { ...server, priority: -before.length };
  });
}

function claimsOf(server: JsonObject, catalogue: Catalogue): string[] {
  const preset = typeof server.kind === "string" ? catalogue.preset(server.kind)?.config : undefined;
  const own = (key: "extensions" | "filenames" | "globs"): string[] => {
    const value = server[key];
    return Array.isArray(value) ? value.map(String) : (preset?.[key] ?? []);
  };
  return [...own("extensions").map((extension) => `*.${extension}`), ...own("filenames"), ...own("globs")];
}
