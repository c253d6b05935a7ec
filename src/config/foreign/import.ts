/** From another program's servers to ours: keys by the format's table, presets where the catalogue knows the program. */
import { canonicalText, type JsonObject } from "../../base/json.js";
import { tomlPart } from "../../base/toml-text.js";
import type { Catalogue, Preset } from "../catalogue/catalogue.js";
import type { PresetConfig } from "../schema.js";
import { fetched } from "./fetchers.js";
import { entriesIn, type ForeignServer, type Format, straysIn } from "./format.js";

/** What an import gave, and what it could not carry over. */
export interface Imported {
  servers: JsonObject[];
  notes: string[];
}

/** A server on its way: in our words, and the preset that it is. */
interface Candidate {
  id: string;
  own: JsonObject;
  preset: Preset | undefined;
}

/** The servers of a tree of that format. */
export function importServers(tree: JsonObject, format: Format, catalogue: Catalogue): Imported {
  const lists = format.lists(tree);
  const notes: string[] = [...(format.remarks?.(tree) ?? []), ...lists.flatMap(straysIn)];
  const candidates: Candidate[] = [];
  const called: string[] = [];
  for (const foreign of format.servers?.(tree) ?? lists.flatMap(entriesIn)) {
    const own = withoutFetcher(carried(foreign, format, notes), foreign.at, catalogue, notes);
    const isCalled = format.hasOwnServers === true && isNameless(own);
    const preset = isCalled ? presetCalled(foreign.name ?? "", format, catalogue) : presetOf(own, catalogue);
    const id = uniqueId(foreign.name ?? preset?.config.id ?? String(own.command ?? "server"), candidates);
    if (preset === undefined && isNameless(own)) {
      const why = format.hasOwnServers ? ", and the catalogue has none of that name" : "";
      notes.push(`${foreign.at}: it names no program${why}; left out`);
      continue;
    }
    candidates.push({ id, own, preset });
    if (isCalled && preset) called.push(`${foreign.name} as \`${preset.config.id}\``);
    if (preset?.config.stack !== undefined) notes.push(alone(id, preset.config));
  }
  notes.push(...ownServers(format, called));
  const servers = candidates.map((candidate, index): JsonObject => {
    const { id, own, preset } = candidate;
    const others = candidates.toSpliced(index, 1).flatMap(claimsOf);
    if (preset === undefined || own.kind !== undefined) return { id, ...own };
    const server = lessPreset(own, preset.config, others);
    const more = beyond(own, preset.config);
    if (server.extensions === undefined && more.length > 0)
      notes.push(
        `${id}: that it serves only its extensions; \`${preset.config.id}\` serves ${more.join(", ")} too`,
      );
    return { id, ...server };
  });
  return { servers: inTurn(servers, candidates), notes };
}

/** What it means that the other program has servers of its own. */
function ownServers({ name, hasOwnServers }: Format, called: readonly string[]): string[] {
  if (!hasOwnServers) return [];
  const settings = `how ${name} starts its own servers; the catalogue's are taken: ${called.join(", ")}`;
  return [
    ...(called.length > 0 ? [settings] : []),
    `what ${name} serves without being told; \`lsp-proxy init\` looks at what is in a workspace`,
  ];
}

function alone(id: string, { id: kind, stack }: PresetConfig): string {
  return `${id}: \`${kind}\` works only beside others; write \`extends = ["stacks/${stack}"]\` in its place`;
}

function isNameless({ kind, command, transport }: JsonObject): boolean {
  return [kind, command, transport].every((part) => part === undefined);
}

function carried({ entry, at }: ForeignServer, format: Format, notes: string[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(entry)) {
    const carry = Object.hasOwn(format.keys, key) ? format.keys[key] : undefined;
    const note = (text: string) => notes.push(`${at}.${key}: ${text}`);
    if (carry === undefined) {
      note("has no counterpart here");
      continue;
    }
    // A number that no config can hold was read as null.
    const part = tomlPart(value, (path) =>
      notes.push(`${at}.${key}${path}: a config has no null and no number beyond 2^53; left out`),
    );
    if (part !== undefined) Object.assign(out, carry(part, note, entry));
  }
  return out;
}

/** A server that is fetched at each start becomes the program itself: nothing is downloaded unasked here. */
function withoutFetcher(server: JsonObject, at: string, catalogue: Catalogue, notes: string[]): JsonObject {
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  const found = typeof server.command === "string" ? fetched(server.command, args) : undefined;
  if (found === undefined) return server;
  const program = catalogue.programIn(found.name);
  const why = found.isFetched ? "would fetch it at each start" : "finds it in the project's own environment";
  notes.push(
    `${at}.command: \`${found.by}\` ${why}; \`${program}\` must be installed where programs are found`,
  );
  return { ...server, command: program, args: found.args };
}

/** The preset whose program it is; of several the one that is started with the same arguments. */
function presetOf({ command, args, kind, transport }: JsonObject, catalogue: Catalogue): Preset | undefined {
  if (typeof kind === "string") return catalogue.preset(kind);
  if (transport !== undefined || typeof command !== "string") return undefined;
  return catalogue.presetRunning(command, args ?? []);
}

/** The preset of what the other program calls so: by its own name for it where that differs, else by ours. */
function presetCalled(name: string, format: Format, catalogue: Catalogue): Preset | undefined {
  const known = catalogue.facts().find(({ known_as: names }) => names?.[format.name]?.includes(name));
  return catalogue.preset(known?.id ?? name);
}

/** The server as an entry over its preset: what the preset says alike is not said again. */
function lessPreset(server: JsonObject, preset: PresetConfig, others: readonly string[]): JsonObject {
  const same = (key: string) =>
    canonicalText(server[key]) === canonicalText(preset[key as keyof PresetConfig]);
  const isNarrow = !isCovered(server, preset, others);
  const isSaid = (key: string) => {
    if (key === "extensions") return isNarrow;
    if (key === "language_id" || key === "language_ids") return isNarrow || !hasSameIds(server, preset);
    return !same(key);
  };
  const own = Object.keys(server).filter(isSaid);
  return { kind: preset.id, ...Object.fromEntries(own.map((key) => [key, server[key]])) } as JsonObject;
}

/** Whether the preset has the same files, and beyond them none that another server of the import has. */
function isCovered(server: JsonObject, preset: PresetConfig, others: readonly string[]): boolean {
  const known = preset.extensions ?? [];
  return (
    texts(server.extensions).every((extension) => known.includes(extension)) &&
    !beyond(server, preset).some((extension) => others.includes(`*.${extension}`))
  );
}

/** The extensions that the preset has beyond those that the server names; none where it names none. */
function beyond(server: JsonObject, { extensions = [] }: PresetConfig): string[] {
  const own = texts(server.extensions);
  return own.length === 0 ? [] : extensions.filter((extension) => !own.includes(extension));
}

/** Whether the preset gives the files of a server the ids that the server does. */
function hasSameIds(server: JsonObject, preset: PresetConfig): boolean {
  const own = (server.language_ids ?? {}) as JsonObject;
  return texts(server.extensions).every(
    (extension) =>
      (own[extension] ?? server.language_id) === (preset.language_ids?.[extension] ?? preset.language_id),
  );
}

function texts(value: unknown): string[] {
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

/** Servers of the same files are asked in the order in which they were listed. */
function inTurn(servers: readonly JsonObject[], candidates: readonly Candidate[]): JsonObject[] {
  const claims = servers.map((own, index) => claimsOf({ id: "", own, preset: candidates[index]?.preset }));
  return servers.map((server, index) => {
    const before = claims
      .slice(0, index)
      .filter((earlier) => claims[index]?.some((claim) => earlier.includes(claim)));
    return before.length === 0 || server.priority !== undefined
      ? server
      : { ...server, priority: -before.length };
  });
}

/** The files that a server has: those that it names itself, else its preset's. */
function claimsOf({ own: server, preset }: Candidate): string[] {
  const own = (key: "extensions" | "filenames" | "globs"): string[] =>
    Array.isArray(server[key]) ? texts(server[key]) : (preset?.config[key] ?? []);
  return [...own("extensions").map((extension) => `*.${extension}`), ...own("filenames"), ...own("globs")];
}
