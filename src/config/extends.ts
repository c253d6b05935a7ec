/**
 * Resolves `extends`: reads a config and the layers below it, lowest first.
 * Cycles, URLs and unknown names are problems.
 */
import { dirname, relative, resolve } from "node:path";
import { digest, sha256 } from "../base/hash.js";
import { canonicalText } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { isInside, slashed } from "../base/paths.js";
import type { Problem } from "../base/problem.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { readOrExplain } from "./files.js";
import { acceptForeignKeys } from "./foreign-keys.js";
import type { Layer } from "./layer.js";
import { configSchema } from "./schema.js";
import { inOrder, readSource } from "./text/read.js";
import { MAX_TOKENS } from "./text/size.js";
import { problemAt, type Source } from "./text/source.js";
import { duplicateNames, validate } from "./validate.js";

const MAX_LAYERS = 100;
const NOT_SHIPPED = "is not a shipped config";

export interface ExtendedConfig {
  /** Lowest first; the file itself last. */
  layers: Layer[];
  problems: Problem[];
  /** Of the file and of all files that it extends; the config is trusted by it. */
  hash: string;
}

/** Reads a person's config. Relative entries of `extends` must not leave the folder `within`, by real path. */
export function readExtended(
  main: string,
  content: string | Uint8Array,
  catalogue: Catalogue,
  within?: string,
): ExtendedConfig {
  const { files } = catalogue;
  const result = { layers: [] as Layer[], problems: [] as Problem[] };
  let tokens = 0;
  const hashes: [file: string, hash: string][] = [];

  const addFile = (file: string, content: string | Uint8Array, chain: readonly string[]): void => {
    const source = acceptForeignKeys(readSource(file, content));
    tokens += source.tokens;
    hashes.push([slashed(relative(dirname(main), file)), sha256(source.text)]);
    result.problems.push(...problemsOf(source));
    const layer: Layer = { origin: "config", places: source, tree: source.tree };
    for (const [index, entry] of extendsOf(layer).entries()) {
      const failure = addEntry(entry, file, chain);
      if (failure === undefined) continue;
      // One problem is enough: each of them may search all shipped configs for a similar name.
      if (index >= MAX_LAYERS) {
        const message = `\`extends\` has more than ${MAX_LAYERS} entries`;
        result.problems.push(problemAt(source, "config/bad-extends", message, ["extends", index]));
        break;
      }
      const suggestion = failure === NOT_SHIPPED ? nearest(entry, catalogue.names()) : undefined;
      const path = ["extends", index];
      result.problems.push(
        problemAt(source, "config/bad-extends", `\`${entry}\` ${failure}`, path, { suggestion }),
      );
    }
    result.layers.push(layer);
  };

  /** Adds the layers of one entry, or returns why it cannot be used. */
  const addEntry = (entry: string, from: string, chain: readonly string[]): string | undefined => {
    // The files of the chain are layers too, once their own entries have been added.
    if (result.layers.length + chain.length > MAX_LAYERS) return `exceeds the limit of ${MAX_LAYERS} layers`;
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return "is a URL; layers are files";
    if (!/^\.\.?\//.test(entry)) {
      const layers = shippedLayers(entry, catalogue);
      result.layers.push(...layers);
      return layers.length > 0 ? undefined : NOT_SHIPPED;
    }
    const path = resolve(dirname(from), entry);
    const real = files.realpath(path);
    if (within !== undefined && !isInside(real, files.realpath(within))) return "is outside the workspace";
    if (chain.includes(real)) return "extends itself";
    if (tokens > MAX_TOKENS) return `exceeds the limit of ${MAX_TOKENS} tokens in all layers`;
    const read = readOrExplain(files, path);
    if ("failure" in read) return read.failure;
    addFile(path, read.content, [...chain, real]);
    return undefined;
  };

  addFile(main, content, [files.realpath(main)]);
  return { ...result, hash: digest(canonicalText(hashes)) };
}

/** The layers of a shipped config; none when there is no config of that name. */
export function shippedLayers(name: string, catalogue: Catalogue): Layer[] {
  const layer = catalogue.layer(name);
  if (!layer) return [];
  const below = extendsOf(layer).flatMap((entry, index) => {
    const layers = shippedLayers(entry, catalogue);
    if (layers.length === 0) {
      const message = `\`${entry}\` ${NOT_SHIPPED}`;
      catalogue.problems.push(problemAt(layer.places, "config/bad-extends", message, ["extends", index]));
    }
    return layers;
  });
  return [...below, layer];
}

function problemsOf(source: Source): Problem[] {
  if (source.broken) return source.problems;
  return inOrder([
    ...source.problems,
    ...validate(configSchema, source.tree, source, { refused: source.refused, partial: true }),
    ...duplicateNames(source.tree, source),
  ]);
}

function extendsOf(layer: Layer): string[] {
  const entries = layer.tree.extends;
  return Array.isArray(entries) ? entries.filter((entry) => typeof entry === "string") : [];
}
