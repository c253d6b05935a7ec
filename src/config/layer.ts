/** Layers and how they merge. A merged tree keeps, for each value, the layer and the path that it came from. */
import { define, isTable, type Json, type JsonObject, toPointer } from "../base/json.js";
import type { Path, SourcePlaces } from "./text/source.js";

export interface Layer {
  /** A shipped config's name, or `config` for everything that a person wrote. */
  origin: string;
  places: SourcePlaces;
  tree: JsonObject;
}

/** A value with its layer and its path in that layer. */
export type LayerNode = LayerTable | LayerList | LayerLeaf;

interface Provenance {
  layer: Layer;
  path: Path;
}
export interface LayerTable extends Provenance {
  kind: "table";
  entries: ReadonlyMap<string, LayerNode>;
}
export interface LayerList extends Provenance {
  kind: "list";
  items: readonly LayerNode[];
}
interface LayerLeaf extends Provenance {
  kind: "leaf";
  value: Json;
}

/** How values at one path merge; tables merge deep unless a rule says otherwise. */
interface MergeRule {
  replace?: true;
  /** The key that names the entries of a list, which merge by it. */
  by?: string;
  keys?: { [key: string]: MergeRule };
  /** For the keys that are not in `keys`. */
  rest?: MergeRule;
  /** Two keys of which the later one removes the other. */
  exclusive?: readonly string[];
}

const REPLACE: MergeRule = { replace: true };

/** How a server merges over another with its id, or over its preset. */
export const serverRule: MergeRule = {
  keys: { transport: REPLACE, features: REPLACE, check: REPLACE, replies: { rest: REPLACE } },
};

const configRule: MergeRule = {
  keys: {
    servers: { by: "id", ...serverRule },
    tools: {
      by: "name",
      keys: { request: REPLACE, args: { rest: { keys: { default: REPLACE } } } },
      exclusive: ["request", "steps"],
    },
    methods: { by: "method", keys: { result: REPLACE } },
    prompts: { by: "name" },
    resources: { by: "name" },
  },
};

export function layerTable(layer: Layer): LayerTable {
  return tableNode(layer, layer.tree, []);
}

function tableNode(layer: Layer, tree: JsonObject, path: Path): LayerTable {
  const entries = new Map(
    Object.entries(tree).map(([key, value]) => [key, nodeOf(layer, value, [...path, key])]),
  );
  return { kind: "table", layer, path, entries };
}

function nodeOf(layer: Layer, value: Json, path: Path): LayerNode {
  if (Array.isArray(value)) {
    const items = value.map((item, index) => nodeOf(layer, item, [...path, index]));
    return { kind: "list", layer, path, items };
  }
  if (isTable(value)) return tableNode(layer, value, path);
  return { kind: "leaf", layer, path, value };
}

/** Merges whole configs, lowest first. */
export function mergeLayers(layers: readonly LayerTable[]): LayerTable {
  const [first, ...rest] = layers;
  if (!first) return tableWithoutFile("config", {});
  return rest.reduce((under, over) => mergeTables(under, over, configRule), first);
}

export function mergeTables(under: LayerTable, over: LayerTable, rule: MergeRule): LayerTable {
  const entries = new Map(under.entries);
  for (const [key, value] of over.entries) {
    if (rule.exclusive?.includes(key))
      for (const other of rule.exclusive) {
        if (other !== key) entries.delete(other);
      }
    const below = entries.get(key);
    entries.set(key, below ? mergeNodes(below, value, ruleFor(rule, key)) : value);
  }
  return { ...over, entries };
}

function mergeNodes(under: LayerNode, over: LayerNode, rule: MergeRule): LayerNode {
  if (rule.replace) return over;
  if (under.kind === "table" && over.kind === "table") return mergeTables(under, over, rule);
  if (under.kind !== "list" || over.kind !== "list" || rule.by === undefined) return over;
  return mergeNamed(under, over, rule.by, rule);
}

function mergeNamed(under: LayerList, over: LayerList, by: string, rule: MergeRule): LayerList {
  const items = [...under.items];
  const indices = new Map<string, number>();
  const addIndex = (item: LayerNode, index: number): void => {
    const name = nameOf(item, by);
    if (name !== undefined && !indices.has(name)) indices.set(name, index);
  };
  items.forEach(addIndex);
  for (const entry of over.items) {
    const index = indices.get(nameOf(entry, by) ?? "") ?? items.length;
    const below = items[index];
    const isMerged = below?.kind === "table" && entry.kind === "table";
    items[index] = isMerged ? mergeTables(below, entry, rule) : entry;
    addIndex(entry, index);
  }
  return { ...over, items };
}

function nameOf(node: LayerNode, key: string): string | undefined {
  const name = valueAt(node, key);
  return typeof name === "string" ? name : undefined;
}

function ruleFor({ keys = {}, rest = {} }: MergeRule, key: string): MergeRule {
  return (Object.hasOwn(keys, key) ? keys[key] : undefined) ?? rest;
}

/** A table with entries set or, where `undefined`, removed. */
export function withEntries(
  table: LayerTable,
  changes: { [key: string]: LayerNode | undefined },
): LayerTable {
  const entries = new Map(table.entries);
  for (const [key, node] of Object.entries(changes)) {
    if (node) entries.set(key, node);
    else entries.delete(key);
  }
  return { ...table, entries };
}

export function nodeAt(root: LayerNode | undefined, path: Path): LayerNode | undefined {
  let node = root;
  for (const part of path) {
    if (node?.kind === "table") node = node.entries.get(String(part));
    else if (node?.kind === "list") node = node.items[Number(part)];
    else return undefined;
  }
  return node;
}

/** The value of the leaf at a path; undefined for any other node. */
export function valueAt(root: LayerNode | undefined, ...path: Path): Json | undefined {
  const node = nodeAt(root, path);
  return node?.kind === "leaf" ? node.value : undefined;
}

/** The items of the list at a path; none for any other node. */
export function itemsAt(root: LayerNode | undefined, ...path: Path): readonly LayerNode[] {
  const node = nodeAt(root, path);
  return node?.kind === "list" ? node.items : [];
}

export function toJson(node: LayerNode): Json {
  if (node.kind === "leaf") return node.value;
  if (node.kind === "list") return node.items.map(toJson);
  return toTable(node);
}

export function toTable(node: LayerTable): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of node.entries) define(out, key, toJson(value));
  return out;
}

/** The places of a merged tree: for each value its place in its own layer. */
export function mergedPlaces(root: LayerTable): SourcePlaces {
  const inLayer = (path: Path): { places: SourcePlaces; path: Path } => {
    let length = path.length;
    while (length > 0 && !nodeAt(root, path.slice(0, length))) length--;
    const node = nodeAt(root, path.slice(0, length)) ?? root;
    return { places: node.layer.places, path: [...node.path, ...path.slice(length)] };
  };
  return {
    place: (path, part) => {
      const own = inLayer(path);
      return own.places.place(own.path, part);
    },
    pointer: (path) => {
      const own = inLayer(path);
      return own.places.pointer(own.path);
    },
  };
}

/** A table that does not come from a file; its places are line 1 of `name`. */
export function tableWithoutFile(name: string, tree: JsonObject, origin = "config"): LayerTable {
  const places: SourcePlaces = { place: () => ({ file: name, line: 1, column: 1 }), pointer: toPointer };
  return layerTable({ origin, places, tree });
}
