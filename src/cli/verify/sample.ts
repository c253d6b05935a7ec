/** The sample projects in `configs/samples`: a few files, a place to ask about, and the expected answer. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isTable, type JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import type { PresetConfig } from "../../config/schema.js";
import { readSource } from "../../config/text/read.js";
import { shippedConfigs } from "../shipped.js";

/** A place in a sample; line and character are one-based. */
export interface SamplePlace {
  file: string;
  line: number;
  character: number;
}

export interface Sample {
  name: string;
  languages: string[];
  /** The servers that it is made for; empty: all servers of its languages. */
  servers: string[];
  files: { [path: string]: string };
  ask: SamplePlace | null;
  expect: SamplePlace | null;
  /** A file with an error that a server reports, and the error's line if it is marked. */
  broken: { file: string; line: number | null } | null;
  /** The stack that is started, for servers that do not work alone. */
  stack: string | null;
  /** Additional server settings, for example for a server that only runs linters. */
  server: JsonObject;
}

/** The sample made for a preset, or else one of its languages. */
export function sampleFor({ id, languages = [] }: PresetConfig): Sample | undefined {
  const all = readSamples();
  const own = all.find(({ servers }) => servers.includes(id));
  const general = all.filter(({ servers }) => servers.length === 0);
  const byLanguage = (language: string) =>
    general.find((sample) => sample.languages.includes(language)) ?? [];
  return own ?? languages.flatMap(byLanguage)[0];
}

export function readSamples(): Sample[] {
  const folder = join(shippedConfigs, "samples");
  return sortedSet(readdirSync(folder)).map((name) => {
    const file = join(folder, name);
    return sampleOf(name.replace(/\.toml$/, ""), readSource(file, readFileSync(file, "utf8")).tree);
  });
}

function sampleOf(name: string, tree: JsonObject): Sample {
  const files = (isTable(tree.files) ? tree.files : {}) as { [path: string]: string };
  return {
    name,
    languages: [tree.languages ?? []].flat().map(String),
    servers: [tree.servers ?? []].flat().map(String),
    files,
    ask: samplePlace(tree.ask, files),
    expect: samplePlace(tree.expect, files),
    broken:
      typeof tree.broken === "string" ? { file: tree.broken, line: null } : samplePlace(tree.broken, files),
    stack: typeof tree.stack === "string" ? tree.stack : null,
    server: isTable(tree.server) ? (tree.server as JsonObject) : {},
  };
}

/** The place given by `{ file, at }`: `at` is a piece of the file's text, in which `|` marks the position. */
function samplePlace(value: unknown, files: { [path: string]: string }): SamplePlace | null {
  if (!isTable(value)) return null;
  const file = String(value.file);
  const at = String(value.at);
  const mark = Math.max(at.indexOf("|"), 0);
  const start = (files[file] ?? "").indexOf(at.replace("|", ""));
  if (start < 0) throw new Error(`the sample's ${file} does not contain: ${at}`);
  const before = (files[file] ?? "").slice(0, start + mark).split("\n");
  return { file, line: before.length, character: [...(before.at(-1) ?? "")].length + 1 };
}

/** Writes a sample into a folder and links `modules` as its node_modules folder. */
export function writeSample({ files }: Pick<Sample, "files">, folder: string, modules?: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (modules !== undefined) symlinkSync(modules, join(folder, "node_modules"), "dir");
}
