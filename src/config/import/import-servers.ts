/**
 * Converts server entries of another program's config to our config keys, and uses a preset where the catalogue
 * has one for the program.
 */
import { canonicalText, type JsonObject } from "../../base/json.js";
import { withoutNulls } from "../../base/toml-text.js";
import type { Catalogue, Preset } from "../catalogue/catalogue.js";
import type { PresetConfig } from "../schema.js";
import { type Format, invalidEntries, type OtherServer, serversIn } from "./format.js";
import { launchedBy } from "./launchers.js";

export interface Imported {
  servers: JsonObject[];
  notes: string[];
}

interface Candidate {
  id: string;
  server: JsonObject;
  preset: Preset | undefined;
}

export function importServers(tree: JsonObject, format: Format, catalogue: Catalogue): Imported {
  const lists = format.lists(tree);
  const notes: string[] = [...(format.notes?.(tree) ?? []), ...lists.flatMap(invalidEntries)];
  const candidates: Candidate[] = [];
  const builtIn: string[] = [];
  for (const other of format.servers?.(tree) ?? lists.flatMap(serversIn)) {
    const server = withoutLauncher(convert(other, format, notes), other.at, catalogue, notes);
    const isBuiltIn = format.hasBuiltInServers === true && namesNoProgram(server);
    const preset = isBuiltIn ? presetNamed(other.name ?? "", format, catalogue) : presetOf(server, catalogue);
    const id = uniqueId(other.name ?? preset?.config.id ?? String(server.command ?? "server"), candidates);
    if (preset === undefined && namesNoProgram(server)) {
      const reason = format.hasBuiltInServers ? ", and the catalogue has none of that name" : "";
      notes.push(`${other.at}: it names no program${reason}; left out`);
      continue;
    }
    candidates.push({ id, server, preset });
    if (isBuiltIn && preset) builtIn.push(`${other.name} as \`${preset.config.id}\``);
    if (preset?.config.stack !== undefined)
      notes.push(
        `${id}: \`${preset.config.id}\` works only with others; write \`extends = ["stacks/${preset.config.stack}"]\` instead`,
      );
  }
  if (builtIn.length > 0)
    notes.push(
      `how ${format.name} starts its built-in servers; presets are used instead: ${builtIn.join(", ")}`,
    );
  if (format.hasBuiltInServers)
    notes.push(
      `built-in servers of ${format.name} that the file does not name; \`lsp-proxy init\` detects servers for a workspace`,
    );
  const servers = candidates.map(({ id, server, preset }, index): JsonObject => {
    if (preset === undefined || server.kind !== undefined) return { id, ...server };
    const others = candidates.toSpliced(index, 1).flatMap(claimsOf);
    const difference = withoutPreset(server, preset.config, others);
    const more = moreExtensions(server, preset.config);
    if (difference.extensions === undefined && more.length > 0)
      notes.push(`${id}: the limit to its extensions; \`${preset.config.id}\` serves ${more.join(", ")} too`);
    return { id, ...difference };
  });
  return { servers: withPriorities(servers, candidates), notes };
}

function namesNoProgram({ kind, command, transport }: JsonObject): boolean {
  return [kind, command, transport].every((part) => part === undefined);
}

function convert({ entry, at }: OtherServer, format: Format, notes: string[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(entry)) {
    const converter = Object.hasOwn(format.keys, key) ? format.keys[key] : undefined;
    const note = (text: string) => notes.push(`${at}.${key}: ${text}`);
    if (converter === undefined) {
      note("not supported here");
      continue;
    }
    // Numbers beyond 2^53 were read as null.
    const part = withoutNulls(value, (path) =>
      notes.push(`${at}.${key}${path}: a config has no null and no number beyond 2^53; left out`),
    );
    if (part !== undefined) Object.assign(out, converter(part, note, entry));
  }
  return out;
}

/** Replaces a launcher by the program that it starts: nothing is downloaded here. */
function withoutLauncher(server: JsonObject, at: string, catalogue: Catalogue, notes: string[]): JsonObject {
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  const launched = typeof server.command === "string" ? launchedBy(server.command, args) : undefined;
  if (launched === undefined) return server;
  const program = catalogue.programIn(launched.name);
  const reason = launched.isDownloaded
    ? "would download it at each start"
    : "finds it in the project's own environment";
  notes.push(`${at}.command: \`${launched.by}\` ${reason}; install \`${program}\` on the PATH`);
  return { ...server, command: program, args: launched.args };
}

/** The preset with the same program; of several the one with the same arguments. */
function presetOf({ command, args, kind, transport }: JsonObject, catalogue: Catalogue): Preset | undefined {
  if (typeof kind === "string") return catalogue.preset(kind);
  if (transport !== undefined || typeof command !== "string") return undefined;
  return catalogue.presetRunning(command, args ?? []);
}

/** The preset for the other program's name of a server, else for our own name. */
function presetNamed(name: string, format: Format, catalogue: Catalogue): Preset | undefined {
  const known = catalogue.facts().find(({ known_as: names }) => names?.[format.name]?.includes(name));
  return catalogue.preset(known?.id ?? name);
}

function withoutPreset(server: JsonObject, preset: PresetConfig, others: readonly string[]): JsonObject {
  const isNarrower = !isCovered(server, preset, others);
  const differs = (key: string) => {
    if (key === "extensions") return isNarrower;
    if (key === "language_id" || key === "language_ids")
      return isNarrower || !hasSameLanguageIds(server, preset);
    return canonicalText(server[key]) !== canonicalText(preset[key as keyof PresetConfig]);
  };
  const own = Object.entries(server).filter(([key]) => differs(key));
  return { kind: preset.id, ...Object.fromEntries(own) };
}

/** Whether the preset has the server's extensions, and no others that another imported server has. */
function isCovered(server: JsonObject, preset: PresetConfig, others: readonly string[]): boolean {
  const known = preset.extensions ?? [];
  return (
    strings(server.extensions).every((extension) => known.includes(extension)) &&
    !moreExtensions(server, preset).some((extension) => others.includes(`*.${extension}`))
  );
}

/** The preset's extensions that the server does not have; none where the server lists none. */
function moreExtensions(server: JsonObject, { extensions = [] }: PresetConfig): string[] {
  const own = strings(server.extensions);
  return own.length === 0 ? [] : extensions.filter((extension) => !own.includes(extension));
}

function hasSameLanguageIds(server: JsonObject, preset: PresetConfig): boolean {
  const own = (server.language_ids ?? {}) as JsonObject;
  return strings(server.extensions).every(
    (extension) =>
      (own[extension] ?? server.language_id) === (preset.language_ids?.[extension] ?? preset.language_id),
  );
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function uniqueId(name: string, candidates: readonly Candidate[]): string {
  const base =
    name
      .replaceAll(/[^A-Za-z0-9_.-]/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, 60) || "server";
  const taken = new Set(candidates.map(({ id }) => id));
  let id = base;
  for (let count = 2; taken.has(id); count++) id = `${base}-${count}`;
  return id;
}

/** Gives servers of the same files falling priorities, in the order in which they are listed. */
function withPriorities(servers: readonly JsonObject[], candidates: readonly Candidate[]): JsonObject[] {
  const claims = servers.map((server, index) => claimsOf({ server, preset: candidates[index]?.preset }));
  return servers.map((server, index) => {
    const earlier = claims.slice(0, index);
    const rivals = earlier.filter((other) => claims[index]?.some((claim) => other.includes(claim)));
    const isSettled = rivals.length === 0 || server.priority !== undefined;
    return isSettled ? server : { ...server, priority: -rivals.length };
  });
}

/** The files of a server: its own patterns, else those of its preset. */
function claimsOf({ server, preset }: Omit<Candidate, "id">): string[] {
  const patterns = (key: "extensions" | "filenames" | "globs"): string[] =>
    Array.isArray(server[key]) ? strings(server[key]) : (preset?.config[key] ?? []);
  return [
    ...patterns("extensions").map((extension) => `*.${extension}`),
    ...patterns("filenames"),
    ...patterns("globs"),
  ];
}
