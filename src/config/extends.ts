/** Resolves `extends`: reads a config and the layers below it, lowest first. Cycles, URLs and unknown names are problems. */
import { dirname, relative, resolve } from "node:path";
import { digest, sha256 } from "../base/hash.js";
import { canonicalText } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { isInside } from "../base/paths.js";
import type { Problem } from "../base/problem.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { type Files, readOrExplain } from "./files.js";
import type { Layer } from "./layer.js";
import { renameLspiKeys } from "./lspi.js";
import { configSchema } from "./schema.js";
import { inOrder, readSource } from "./text/read.js";
import { problemAt, type Source } from "./text/source.js";
import { duplicateNames, validate } from "./validate.js";

const MAX_LAYERS = 100;

/** A config with everything that it extends. */
export interface ExtendedConfig {
  /** Lowest first; the file itself last. */
  layers: Layer[];
  problems: Problem[];
  /** The files that are not shipped; its hash is computed from them. */
  files: { file: string; text: string }[];
}

export interface ExtendsOptions {
  catalogue: Catalogue;
  files: Files;
  /** A folder that relative entries must not leave, by real path. */
  within?: string | undefined;
}

/** Reads a person's config with everything that it extends. */
export function readExtended(
  file: string,
  content: string | Uint8Array,
  options: ExtendsOptions,
): ExtendedConfig {
  const result: ExtendedConfig = { layers: [], problems: [], files: [] };
  addFile(file, content, [options.files.realpath(file)], options, result);
  return result;
}

/** The layers of a shipped config; none when there is no config of that name. */
export function shippedLayers(name: string, catalogue: Catalogue, chain: readonly string[] = []): Layer[] {
  const layer = catalogue.layer(name);
  if (!layer) return [];
  const below = extendsOf(layer).flatMap((entry, index) => {
    const isCycle = entry === name || chain.includes(entry);
    const layers = isCycle ? [] : shippedLayers(entry, catalogue, [...chain, name]);
    if (layers.length === 0) {
      const message = `\`${entry}\` ${isCycle ? "extends itself" : "is not a shipped config"}`;
      catalogue.problems.push(problemAt(layer.places, "config/bad-extends", message, ["extends", index]));
    }
    return layers;
  });
  return [...below, layer];
}

/** The hash by which a config and all files that it extends are trusted. */
export function hashOf({ files }: ExtendedConfig, main: string): string {
  const folder = dirname(main);
  return digest(
    canonicalText(
      files.map(({ file, text }) => [relative(folder, file).replaceAll("\\", "/"), sha256(text)]),
    ),
  );
}

function addFile(
  file: string,
  content: string | Uint8Array,
  chain: readonly string[],
  options: ExtendsOptions,
  result: ExtendedConfig,
): void {
  const source = renameLspiKeys(readSource(file, content));
  result.files.push({ file, text: source.text });
  result.problems.push(...problemsOf(source));
  const layer: Layer = { origin: "config", places: source, tree: source.tree };
  for (const [index, entry] of extendsOf(layer).entries()) {
    const failure = addEntry(entry, file, chain, options, result);
    if (!failure) continue;
    const { message, suggestion } = failure;
    result.problems.push(
      problemAt(source, "config/bad-extends", `\`${entry}\` ${message}`, ["extends", index], { suggestion }),
    );
  }
  result.layers.push(layer);
}

function problemsOf(source: Source): Problem[] {
  if (source.broken) return source.problems;
  return inOrder([
    ...source.problems,
    ...validate(configSchema, source.tree, source, { refused: source.refused, partial: true }),
    ...duplicateNames(source.tree, source),
  ]);
}

/** Adds the layers of one entry; returns why it cannot be used. */
function addEntry(
  entry: string,
  from: string,
  chain: readonly string[],
  options: ExtendsOptions,
  result: ExtendedConfig,
): { message: string; suggestion?: string | undefined } | undefined {
  const { catalogue, files, within } = options;
  if (result.layers.length >= MAX_LAYERS) return { message: `exceeds the limit of ${MAX_LAYERS} layers` };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return { message: "is a URL; layers are files" };
  if (!/^\.\.?\//.test(entry)) {
    const layers = shippedLayers(entry, catalogue);
    result.layers.push(...layers);
    if (layers.length > 0) return undefined;
    return { message: "is not a shipped config", suggestion: nearest(entry, catalogue.names()) };
  }
  const file = resolve(dirname(from), entry);
  const real = files.realpath(file);
  if (within !== undefined && !isInside(real, files.realpath(within)))
    return { message: "is outside the workspace" };
  if (chain.includes(real)) return { message: "extends itself" };
  const read = readOrExplain(files, file);
  if ("failure" in read) return { message: read.failure };
  addFile(file, read.content, [...chain, real], options, result);
  return undefined;
}

function extendsOf(layer: Layer): string[] {
  const entries = layer.tree.extends;
  return Array.isArray(entries) ? entries.filter((entry) => typeof entry === "string") : [];
}
