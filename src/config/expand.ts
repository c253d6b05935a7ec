/** `extends`: from one file to the layers below it, lowest first. A circle, a URL or an unknown name is a problem. */
import { dirname, relative, resolve } from "node:path";
import { digest, sha256 } from "../base/hash.js";
import { canonicalText } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { isInside } from "../base/paths.js";
import type { Problem } from "../base/problem.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { type Files, readOrExplain } from "./files.js";
import type { Layer } from "./layer.js";
import { modernise } from "./lspi.js";
import { duplicateNames } from "./names.js";
import { configSchema } from "./schema.js";
import { inOrder, readSource } from "./text/read.js";
import { problemAt, type Source } from "./text/source.js";
import { validate } from "./validate.js";

const MAX_LAYERS = 100;

/** A file with everything it extends. */
export interface Expanded {
  /** Lowest first; the file itself last. */
  layers: Layer[];
  problems: Problem[];
  /** The files of its own, without shipped ones: what its hash is about. */
  own: { file: string; text: string }[];
}

export interface ExpandContext {
  catalogue: Catalogue;
  files: Files;
  /** A folder that relative entries must not leave, by real path. */
  within?: string | undefined;
}

/** Expands a file that a person wrote. */
export function expandFile(file: string, content: string | Uint8Array, context: ExpandContext): Expanded {
  const out: Expanded = { layers: [], problems: [], own: [] };
  addFile(file, content, [context.files.realpath(file)], context, out);
  return out;
}

/** Expands a shipped config; nothing when there is none of that name. */
export function expandShipped(name: string, catalogue: Catalogue, chain: readonly string[] = []): Layer[] {
  const layer = catalogue.layer(name);
  if (!layer) return [];
  const below = extendsOf(layer).flatMap((entry, index) => {
    const isCircle = entry === name || chain.includes(entry);
    const layers = isCircle ? [] : expandShipped(entry, catalogue, [...chain, name]);
    if (layers.length === 0) {
      const message = `\`${entry}\` ${isCircle ? "extends itself" : "is no shipped config"}`;
      catalogue.problems.push(problemAt(layer.places, "config/bad-extends", message, ["extends", index]));
    }
    return layers;
  });
  return [...below, layer];
}

/** The hash by which a file and all that it extends by path is trusted. */
export function hashOf(own: Expanded["own"], main: string): string {
  const folder = dirname(main);
  return digest(
    canonicalText(own.map(({ file, text }) => [relative(folder, file).replaceAll("\\", "/"), sha256(text)])),
  );
}

function addFile(
  file: string,
  content: string | Uint8Array,
  chain: readonly string[],
  context: ExpandContext,
  out: Expanded,
): void {
  const source = modernise(readSource(file, content));
  out.own.push({ file, text: source.text });
  out.problems.push(...problemsOf(source));
  const layer: Layer = { origin: "config", places: source, tree: source.tree };
  for (const [index, entry] of extendsOf(layer).entries()) {
    const failure = addEntry(entry, file, chain, context, out);
    if (failure) {
      const { message, suggestion } = failure;
      out.problems.push(
        problemAt(source, "config/bad-extends", `\`${entry}\` ${message}`, ["extends", index], {
          suggestion,
        }),
      );
    }
  }
  out.layers.push(layer);
}

function problemsOf(source: Source): Problem[] {
  if (source.broken) return source.problems;
  return inOrder([
    ...source.problems,
    ...validate(configSchema, source.tree, source, { refused: source.refused, partial: true }),
    ...duplicateNames(source.tree, source),
  ]);
}

interface Failure {
  message: string;
  suggestion?: string | undefined;
}

function addEntry(
  entry: string,
  from: string,
  chain: readonly string[],
  context: ExpandContext,
  out: Expanded,
): Failure | undefined {
  if (out.layers.length >= MAX_LAYERS) return { message: `is one layer too many; ${MAX_LAYERS} are allowed` };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return { message: "is a URL; layers are files" };
  if (!/^\.\.?\//.test(entry)) {
    const layers = expandShipped(entry, context.catalogue);
    out.layers.push(...layers);
    if (layers.length > 0) return undefined;
    return { message: "is no shipped config", suggestion: nearest(entry, context.catalogue.names()) };
  }
  const file = resolve(dirname(from), entry);
  const real = context.files.realpath(file);
  if (context.within !== undefined && !isInside(real, context.files.realpath(context.within)))
    return { message: "lies outside the workspace" };
  if (chain.includes(real)) return { message: "extends itself" };
  const content = readOrExplain(context.files, file);
  if ("failure" in content) return { message: content.failure };
  addFile(file, content.content, [...chain, real], context, out);
  return undefined;
}

function extendsOf(layer: Layer): string[] {
  const entries = layer.tree.extends;
  return Array.isArray(entries) ? entries.filter((entry) => typeof entry === "string") : [];
}
