/** Sample projects: a few files, a place to ask at and the place to expect, as data in `configs/samples`. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isTable, type JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import type { PresetConfig } from "../../config/schema.js";
import { readSource } from "../../config/text/read.js";
import { shippedConfigs } from "../shipped.js";

/** A place in a sample, one-based. */
export interface SamplePlace {
  file: string;
  line: number;
  character: number;
}

export interface Sample {
  name: string;
  languages: string[];
  /** The only servers that it is for; all of its languages when empty. */
  servers: string[];
  files: { [path: string]: string };
  ask: SamplePlace | null;
  expect: SamplePlace | null;
  /** A file that a server which reports mistakes reports on, and the line of the mistake where it is marked. */
  broken: { file: string; line: number | null } | null;
  /** The shipped stack that its servers need to be in, where one alone cannot answer. */
  stack: string | null;
  /** Keys of a server that has nothing to say without them, such as one that only runs linters. */
  server: JsonObject;
}

/** The sample for a preset: one made for it, else one of its languages. */
export function sampleFor({ id, languages = [] }: PresetConfig): Sample | undefined {
  const all = readSamples();
  const own = all.find(({ servers }) => servers.includes(id));
  const free = all.filter(({ servers }) => servers.length === 0);
  return (
    own ??
    languages.flatMap((language) => free.find((sample) => sample.languages.includes(language)) ?? [])[0]
  );
}

/** Every sample that is shipped. */
export function readSamples(): Sample[] {
  const folder = join(shippedConfigs, "samples");
  return sortedSet(readdirSync(folder)).map((name) => {
    const file = join(folder, name);
    return sampleOf(name.replace(/\.toml$/, ""), readSource(file, readFileSync(file, "utf8")).tree);
  });
}

/** The servers of a shipped stack, as its file has them. */
export function stackServers(name: string): JsonObject[] {
  const file = join(shippedConfigs, "stacks", `${name}.toml`);
  const { servers } = readSource(file, readFileSync(file, "utf8")).tree;
  return (Array.isArray(servers) ? servers : []).filter(isTable) as JsonObject[];
}

function sampleOf(name: string, tree: JsonObject): Sample {
  const files = (isTable(tree.files) ? tree.files : {}) as { [path: string]: string };
  return {
    name,
    languages: texts(tree.languages),
    servers: texts(tree.servers),
    files,
    ask: placeOf(tree.ask, files),
    expect: placeOf(tree.expect, files),
    broken: typeof tree.broken === "string" ? { file: tree.broken, line: null } : placeOf(tree.broken, files),
    stack: typeof tree.stack === "string" ? tree.stack : null,
    server: isTable(tree.server) ? (tree.server as JsonObject) : {},
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** `{ file, at }`: the place of the mark `|` in that piece of the file's text, or of its beginning. */
function placeOf(value: unknown, files: { [path: string]: string }): SamplePlace | null {
  if (!isTable(value)) return null;
  const [file, at] = [String(value.file), String(value.at)];
  const mark = Math.max(at.indexOf("|"), 0);
  const start = (files[file] ?? "").indexOf(at.replace("|", ""));
  const before = (files[file] ?? "").slice(0, start + mark).split("\n");
  return { file, line: before.length, character: [...(before.at(-1) ?? "")].length + 1 };
}

/** Writes a sample into a folder; `modules` is a node_modules folder that its project is to have. */
export function writeSample(
  { files }: Pick<Sample, "files">,
  folder: string,
  modules: string | undefined,
): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (modules !== undefined) symlinkSync(modules, join(folder, "node_modules"), "dir");
}
