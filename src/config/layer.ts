/**
 * Layers and how they merge. A merged tree keeps, for each of its values, the layer and the path it came from.
 * Tables merge deep, named entries by their name; scalars, arrays and tables that are one choice replace.
 */
import { define, isTable, type Json, type JsonObject } from "../base/json.js";
import { toPointer } from "../base/pointer.js";
import type { Path, Places } from "./text/source.js";

/** One tree of settings and where it comes from. */
export interface Layer {
  /** A shipped config's name, or `config` for everything a person wrote. */
  origin: string;
  places: Places;
  tree: JsonObject;
}

/** A value that remembers its layer and its path in it. */
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
export interface LayerLeaf extends Provenance {
  kind: "leaf";
  value: Json;
}

/** How values of one place merge. */
type Rule =
  | "deep"
  | "replace"
  | { by: string; entry: Rule }
  | { keys: { [key: string]: Rule }; rest: Rule; rivals?: readonly (readonly [string, string])[] };

/** How a server lies over another of its id, or over its preset. */
export const serverRule: Rule = {
  keys: {
    transport: "replace",
    features: "replace",
    check: "replace",
    replies: { keys: {}, rest: "replace" },
  },
  rest: "deep",
};

const toolRule: Rule = {
  keys: {
    request: "replace",
    args: { keys: {}, rest: { keys: { default: "replace" }, rest: "deep" } },
  },
  rest: "deep",
  rivals: [["request", "steps"]],
};

const configRule: Rule = {
  keys: {
    servers: { by: "id", entry: serverRule },
    tools: { by: "name", entry: toolRule },
    methods: { by: "method", entry: { keys: { result: "replace" }, rest: "deep" } },
  },
  rest: "deep",
};

/** A layer's tree as nodes. */
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

/** Whole configs, lowest first, as one. */
export function mergeLayers(layers: readonly LayerTable[]): LayerTable {
  const [first, ...rest] = layers;
  if (!first) return layerTable(emptyLayer);
  return rest.reduce((under, over) => mergeTables(under, over, configRule), first);
}

/** One table over another. */
export function mergeTables(under: LayerTable, over: LayerTable, rule: Rule): LayerTable {
  const entries = new Map(under.entries);
  for (const [key, value] of over.entries) {
    for (const rival of rivalsOf(rule, key)) entries.delete(rival);
    const below = entries.get(key);
    entries.set(key, below ? mergeNodes(below, value, ruleFor(rule, key)) : value);
  }
  return { ...over, entries };
}

function mergeNodes(under: LayerNode, over: LayerNode, rule: Rule): LayerNode {
  if (rule === "replace") return over;
  if (under.kind === "table" && over.kind === "table") return mergeTables(under, over, rule);
  if (under.kind === "list" && over.kind === "list" && typeof rule === "object" && "by" in rule)
    return mergeNamed(under, over, rule);
  return over;
}

function mergeNamed(under: LayerList, over: LayerList, rule: { by: string; entry: Rule }): LayerList {
  const items = [...under.items];
  const known = new Map<string, number>();
  const note = (item: LayerNode, index: number): void => {
    const name = nameOf(item, rule.by);
    if (name !== undefined && !known.has(name)) known.set(name, index);
  };
  items.forEach(note);
  for (const entry of over.items) {
    const name = nameOf(entry, rule.by);
    const index = (name === undefined ? undefined : known.get(name)) ?? items.length;
    const below = items[index];
    const isOver = below?.kind === "table" && entry.kind === "table";
    items[index] = isOver ? mergeTables(below, entry, rule.entry) : entry;
    note(entry, index);
  }
  return { ...over, items };
}

function nameOf(node: LayerNode, key: string): string | undefined {
  const name = node.kind === "table" ? leafValue(node.entries.get(key)) : undefined;
  return typeof name === "string" ? name : undefined;
}

function ruleFor(rule: Rule, key: string): Rule {
  if (typeof rule !== "object" || "by" in rule) return rule === "replace" ? "replace" : "deep";
  return (Object.hasOwn(rule.keys, key) ? rule.keys[key] : undefined) ?? rule.rest;
}

function rivalsOf(rule: Rule, key: string): string[] {
  if (typeof rule !== "object" || "by" in rule) return [];
  return (rule.rivals ?? []).flatMap(([a, b]) => (key === a ? [b] : key === b ? [a] : []));
}

/** A table with some of its entries put in or, where `undefined`, taken out. */
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

/** The node at a path, or `undefined`. */
export function nodeAt(root: LayerNode, path: Path): LayerNode | undefined {
  let node: LayerNode | undefined = root;
  for (const part of path) {
    if (node?.kind === "table") node = node.entries.get(String(part));
    else if (node?.kind === "list") node = node.items[Number(part)];
    else return undefined;
  }
  return node;
}

/** The value of a leaf. */
export function leafValue(node: LayerNode | undefined): Json | undefined {
  return node?.kind === "leaf" ? node.value : undefined;
}

/** The items of a list, none when the node is no list. */
export function itemsOf(node: LayerNode | undefined): readonly LayerNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** The plain value of a node. */
export function toJson(node: LayerNode): Json {
  if (node.kind === "leaf") return node.value;
  if (node.kind === "list") return node.items.map(toJson);
  return toTable(node);
}

/** The plain value of a table. */
export function toTable(node: LayerTable): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of node.entries) define(out, key, toJson(value));
  return out;
}

/** Places of a merged tree: each value's own, in the layer that it came from. */
export function mergedPlaces(root: LayerTable): Places {
  const nearest = (path: Path): { node: LayerNode; rest: Path } => {
    for (let length = path.length; length > 0; length--) {
      const node = nodeAt(root, path.slice(0, length));
      if (node) return { node, rest: path.slice(length) };
    }
    return { node: root, rest: path };
  };
  return {
    place: (path, part) => {
      const { node, rest } = nearest(path);
      return node.layer.places.place([...node.path, ...rest], part);
    },
    pointer: (path) => {
      const { node, rest } = nearest(path);
      return node.layer.places.pointer([...node.path, ...rest]);
    },
  };
}

/** Places of a layer that is no file. */
export function nowhere(name: string): Places {
  return { place: () => ({ file: name, line: 1, column: 1 }), pointer: toPointer };
}

const emptyLayer: Layer = { origin: "config", places: nowhere("config"), tree: {} };
