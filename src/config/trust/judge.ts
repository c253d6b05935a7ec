/**
 * Judges a config key by key by the rules that the schema declares: what it asks for, and what is left of it under its bounds.
 * A key without a rule is judged as the table it stands in; where no table has one either, it asks.
 */
import type { Problem } from "../../base/problem.js";
import type { Files } from "../files.js";
import { itemsOf, type LayerNode, type LayerTable, leafValue, nodeAt, withEntries } from "../layer.js";
import type { FoundRule } from "../schema/found.js";
import { configSchema } from "../schema.js";
import { keyOf, ruleOf, type Schema, shapeOf, tableOf } from "../schema-walk.js";
import { problemAt } from "../text/source.js";
import { asking, isEqual, type Measured, narrows, textOf } from "./narrow.js";

/** What a config is measured by; servers are complete. */
export interface Bounds {
  /** What the user wrote, with the profile that they named. */
  written: LayerTable;
  /** What would hold without the config: defaults, profile and what the user wrote. */
  effective: LayerTable;
}

/** Something that a config asks for and that needs trust. */
export interface Ask {
  /** Where it stands, as `servers.rust.args`. */
  name: string;
  /** In words, without the value; empty where the programs say it all. */
  words: string;
  node: LayerNode;
}

/** What is said of a config. */
export interface Verdict {
  /** What is left of it. */
  config: LayerTable;
  warnings: Problem[];
  asks: Ask[];
}

export interface JudgeContext {
  /** Where its relative folders start. */
  base: string;
  files: Files;
  isTrusted: boolean;
}

/** Judges a config that was found in a workspace. */
export function judgeFound(config: LayerTable, bounds: Bounds, context: JudgeContext): Verdict {
  const verdict: Verdict = { config, warnings: [], asks: [] };
  const court: Court = {
    ...context,
    asks: verdict.asks,
    isSealed: false,
    tell: (node, message) =>
      verdict.warnings.push(problemAt(node.layer.places, "config/shrunk", message, node.path)),
  };
  const at: At = { ...bounds, name: "", isFirm: false, covered: false };
  return { ...verdict, config: judgeTable(configSchema, config, at, court) };
}

/** What a config says beyond those keys of a profile that may only be narrowed. */
export function beyondSealed(config: LayerTable, profile: LayerTable, base: string, files: Files): Problem[] {
  const problems: Problem[] = [];
  const court: Court = {
    ...{ base, files, isTrusted: true, isSealed: true, asks: [] },
    tell: (node, message) => problems.push(problemAt(node.layer.places, "config/sealed", message, node.path)),
  };
  const at: At = { written: profile, effective: profile, name: "", isFirm: false, covered: false };
  judgeTable(configSchema, config, at, court);
  const isSealed = sealOf(profile);
  return problems.filter(({ pointer }) => isSealed(pointer));
}

/** Whether a profile lets a value be narrowed only. */
export function sealOf(profile: LayerTable): (pointer: string) => boolean {
  const keys = itemsOf(nodeAt(profile, ["mcp", "sealed"])).map((key) => String(leafValue(key)));
  return (pointer) => keys.some((key) => `${pointer}/`.startsWith(`/${key.replaceAll(".", "/")}/`));
}

interface Court extends JudgeContext, Pick<Measured, "tell"> {
  asks: Ask[];
  /** Whether the bounds are a profile's, which says only what it says. */
  isSealed: boolean;
}

/** A place in the tree, with the bounds of that place. */
interface At {
  written: LayerNode | undefined;
  effective: LayerNode | undefined;
  name: string;
  isFirm: boolean;
  /** Whether a table above it has asked already. */
  covered: boolean;
}

function judgeTable(schema: Schema, table: LayerTable, at: At, court: Court): LayerTable {
  const shape = shapeOf(schema);
  const changes: { [key: string]: LayerNode | undefined } = {};
  for (const [key, node] of table.entries) {
    // What the schema does not know is a problem of its own.
    const child = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (child !== undefined) changes[key] = judgeKey(child, node, below(at, key), court);
  }
  return withEntries(table, changes);
}

function below(at: At, key: string): At {
  const inner = (node: LayerNode | undefined) => (node ? nodeAt(node, [key]) : undefined);
  return {
    ...at,
    written: inner(at.written),
    effective: inner(at.effective),
    name: at.name === "" ? key : `${at.name}.${key}`,
  };
}

function judgeKey(schema: Schema, node: LayerNode, place: At, court: Court): LayerNode | undefined {
  const rule = ruleOf(schema);
  const inner = tableOf(schema);
  const at = { ...place, isFirm: place.isFirm || (rule?.firm === true && !court.isSealed) };
  if (rule === undefined && inner !== undefined && node.kind === "table")
    return judgeTable(inner, node, at, court);
  const judged: FoundRule = rule ?? { found: at.covered ? "free" : "asks" };
  if (inner === undefined || judged.found !== "asks") return judgeValue(judged, node, at, court);
  if (node.kind === "list") return judgeEntries(inner, judged, node, at, court);
  ask(judged.words, node, at, court);
  return node.kind === "table" ? judgeTable(inner, node, { ...at, covered: true }, court) : node;
}

/** Entries with names: those that the user has too may not become others, and every new server is as confined as theirs. */
function judgeEntries(
  schema: Schema,
  rule: FoundRule,
  list: LayerNode & { kind: "list" },
  at: At,
  court: Court,
): LayerNode {
  const key = keyOf(schema);
  const nameOf = (node: LayerNode) => leafValue(nodeAt(node, [key]));
  const items = list.items.map((entry) => {
    if (entry.kind !== "table") return entry;
    const ours = itemsOf(at.effective).find((other) => nameOf(other) === nameOf(entry));
    const inner: At = {
      ...at,
      ...{ written: ours, effective: ours, covered: true, isFirm: ours !== undefined && !court.isSealed },
      name: `${at.name}.${String(nameOf(entry))}`,
    };
    // Of a server its program says enough; one that is switched off sets nothing in motion.
    if (leafValue(nodeAt(entry, ["enabled"])) !== false) ask(rule.words ?? "", entry, inner, court);
    return ours === undefined && !court.isSealed
      ? confineNew(schema, entry, at, court)
      : judgeTable(schema, entry, inner, court);
  });
  return { ...list, items };
}

/** A new server gets the strictest confinement that the user has any server in, and no more than the widest limit of theirs. */
function confineNew(schema: Schema, entry: LayerTable, at: At, court: Court): LayerTable {
  const shape = shapeOf(schema);
  if (!Object.hasOwn(shape, "sandbox")) return entry;
  const limited = shape.limits === undefined ? entry : limitNew(shape.limits, entry, at, court);
  const theirs = itemsOf(at.effective).flatMap((server) => nodeAt(server, ["sandbox"]) ?? []);
  let sandbox = entry.entries.get("sandbox");
  for (const bound of theirs) {
    const word = strictest(leafValue(sandbox), leafValue(bound));
    if (word === (leafValue(sandbox) ?? "none")) continue;
    court.tell(sandbox ?? entry, `the user's own servers are confined; this one is too: "${word}"`);
    sandbox = { kind: "leaf", layer: entry.layer, path: entry.path, value: word };
  }
  return withEntries(limited, { sandbox });
}

/** A limit that each of the user's own servers has holds for a new one too. */
function limitNew(schema: Schema, entry: LayerTable, at: At, court: Court): LayerTable {
  const inner = tableOf(schema);
  const own = itemsOf(at.effective);
  if (inner === undefined || own.length === 0) return entry;
  const asked = entry.entries.get("limits");
  const changes: { [key: string]: LayerNode } = {};
  for (const [key, child] of Object.entries(shapeOf(inner))) {
    const theirs = own.map((server) => leafValue(nodeAt(server, ["limits", key])));
    if (!theirs.every((value) => typeof value === "number")) continue;
    const isLeast = ruleOf(child)?.found === "least";
    const bound = isLeast ? Math.max(...theirs) : Math.min(...theirs);
    const value = leafValue(asked && nodeAt(asked, [key]));
    if (typeof value === "number" && (isLeast ? value <= bound : value >= bound)) continue;
    court.tell(
      asked ?? entry,
      `the user's own servers have \`limits.${key}\`; this one gets it too: ${bound}`,
    );
    changes[key] = { kind: "leaf", layer: entry.layer, path: entry.path, value: bound };
  }
  if (Object.keys(changes).length === 0) return entry;
  const empty: LayerTable = { kind: "table", layer: entry.layer, path: entry.path, entries: new Map() };
  return withEntries(entry, { limits: withEntries(asked?.kind === "table" ? asked : empty, changes) });
}

function strictest(one: unknown, other: unknown): string {
  const words = [String(one ?? "none"), String(other ?? "none")];
  const [isReadOnly, hasNoNetwork] = ["read_only", "no_network"].map((part) =>
    words.some((word) => word.includes(part)),
  );
  if (isReadOnly && hasNoNetwork) return "read_only_no_network";
  return isReadOnly ? "read_only" : hasNoNetwork ? "no_network" : "none";
}

function judgeValue(rule: FoundRule, asked: LayerNode, at: At, court: Court): LayerNode | undefined {
  const isBoundByUser = court.isTrusted && !at.isFirm;
  const measured: Measured = {
    ...court,
    asked,
    bound: isBoundByUser ? at.written : at.effective,
    isFirm: at.isFirm || !court.isTrusted,
    whose: court.isSealed ? "the profile's" : at.written === undefined ? "the default" : "the user's own",
  };
  if (court.isTrusted || at.covered) return narrows[rule.found](measured);
  if (rule.found === "asks") ask(rule.words, asked, at, court);
  if (rule.found === "fixed") ask(valueWords(rule, asked), asked, at, court);
  if (rule.found === "asks" || rule.found === "fixed") return asked;
  if (!asking.has(rule.found)) return narrows[rule.found](measured);
  // What goes beyond a list is asked for, value by value.
  return narrows[rule.found]({
    ...measured,
    tell: (node) => court.asks.push({ name: at.name, words: valueWords(rule, node) ?? "", node }),
  });
}

function valueWords({ words }: FoundRule, node: LayerNode): string | undefined {
  return words === undefined ? undefined : `${words} \`${leafValue(node)}\``;
}

/** Notes what needs trust; what changes nothing needs none. */
function ask(words: string | undefined, node: LayerNode, at: At, court: Court): void {
  if (at.effective !== undefined && isEqual(node, at.effective)) return;
  court.asks.push({ name: at.name, words: words ?? `\`${at.name} = ${textOf(node)}\``, node });
}
