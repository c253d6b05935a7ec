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
import { confineNew } from "./confine-new.js";
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
  const at: At = { ...bounds, name: "", isFirm: false, isOwn: false, covered: false };
  return { ...verdict, config: judgeTable(configSchema, config, at, court) };
}

/** What a config says beyond those keys of a profile that may only be narrowed. */
export function beyondSealed(config: LayerTable, profile: LayerTable, base: string, files: Files): Problem[] {
  if (itemsOf(nodeAt(profile, ["mcp", "sealed"])).length === 0) return [];
  const problems: Problem[] = [];
  const court: Court = {
    ...{ base, files, isTrusted: true, isSealed: true, asks: [] },
    tell: (node, message) => problems.push(problemAt(node.layer.places, "config/sealed", message, node.path)),
  };
  const bounds: Bounds = { written: profile, effective: profile };
  judgeTable(
    configSchema,
    config,
    { ...bounds, name: "", isFirm: false, isOwn: false, covered: false },
    court,
  );
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
  /** Whether it belongs to an entry that the user wrote, which is theirs as a whole. */
  isOwn: boolean;
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
  if (rule === undefined && inner !== undefined && node.kind === "table" && !(at.isOwn && !hasRules(inner)))
    return unlessEmptied(judgeTable(inner, node, at, court), node);
  const judged: FoundRule = rule ?? { found: "asks" };
  if (inner === undefined || judged.found !== "asks" || (rule === undefined && at.covered))
    return judgeValue(judged, node, at, court);
  if (node.kind === "list") return judgeEntries(inner, judged, node, at, court);
  ask(judged.words, node, at, court);
  if (node.kind !== "table") return node;
  return unlessEmptied(judgeTable(inner, node, { ...at, covered: true }, court), node);
}

/** Whether a table says key by key what may be done with it; an entry of the user's own has its other tables as they are. */
function hasRules(table: Schema): boolean {
  return Object.values(shapeOf(table)).some((schema) => ruleOf(schema) !== undefined);
}

/** A table of which nothing is left was never written: where it must have keys, an empty one would be a mistake of ours. */
function unlessEmptied(left: LayerTable, asked: LayerTable): LayerTable | undefined {
  return left.entries.size === 0 && asked.entries.size > 0 ? undefined : left;
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
    const isSame = (other: LayerNode) => nameOf(other) === nameOf(entry);
    const [written, ours] = [at.written, at.effective].map((bound) => itemsOf(bound).find(isSame));
    const inner: At = {
      ...{ written, effective: ours, covered: true },
      isFirm: ours !== undefined && !court.isSealed,
      isOwn: written !== undefined && !court.isSealed,
      name: `${at.name}.${String(nameOf(entry))}`,
    };
    // Of a server its program says enough; one that is switched off sets nothing in motion.
    if (leafValue(nodeAt(entry, ["enabled"])) !== false) ask(rule.words ?? "", entry, inner, court);
    return ours === undefined && !court.isSealed
      ? confineNew(schema, entry, itemsOf(at.effective), court.tell)
      : judgeTable(schema, entry, inner, court);
  });
  return { ...list, items };
}

function judgeValue(rule: FoundRule, asked: LayerNode, at: At, court: Court): LayerNode | undefined {
  // What only asks is the user's where they wrote it, or wrote the entry that it belongs to.
  const isFirm = rule.found === "asks" ? at.isOwn : at.isFirm;
  const measured: Measured = {
    ...court,
    asked,
    bound: court.isTrusted && !isFirm ? at.written : at.effective,
    isFirm: isFirm || !court.isTrusted,
    isOpen: rule.open === true,
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
