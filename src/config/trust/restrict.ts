/** Restricts a discovered config by the schema's rules. Without a rule of its own or of its table a key needs trust. */
import type { Problem } from "../../base/problem.js";
import type { Files } from "../files.js";
import {
  itemsAt,
  type LayerList,
  type LayerNode,
  type LayerTable,
  nodeAt,
  valueAt,
  withEntries,
} from "../layer.js";
import type { DiscoveredRule } from "../schema/values.js";
import { configSchema } from "../schema.js";
import { keyOf, ruleOf, type Schema, shapeOf, tableOf } from "../schema-walk.js";
import { problemAt } from "../text/source.js";
import { restrictNewServer } from "./restrict-new-server.js";
import { type Comparison, isPartOf, rules, textOf } from "./rules.js";

/** What a discovered config is compared with. Servers are complete. */
export interface Limits {
  /** What the user wrote, with the profile that they named. */
  written: LayerTable;
  /** What would be in effect without the config: defaults, profile and what the user wrote. */
  effective: LayerTable;
}

export interface TrustRequest {
  /** Its path, as `servers.rust.args`. */
  name: string;
  /** What it asks for, without the value; empty where the programs say it all. */
  label: string;
  node: LayerNode;
}

interface RestrictOptions {
  /** The folder that the config's relative paths start from. */
  base: string;
  files: Files;
  isTrusted: boolean;
}

export function restrictDiscovered(config: LayerTable, limits: Limits, options: RestrictOptions) {
  const restriction = new Restriction("config/shrunk", options);
  const left = restriction.table(configSchema, config, { ...limits, ...root });
  const { problems: warnings, requests } = restriction;
  return { config: left, warnings, requests };
}

/** Problems for values that exceed a sealed key of the profile, which may only be narrowed. */
export function exceedingSealed(
  config: LayerTable,
  profile: LayerTable,
  options: Omit<RestrictOptions, "isTrusted">,
): Problem[] {
  if (itemsAt(profile, "mcp", "sealed").length === 0) return [];
  const restriction = new Restriction("config/sealed", { ...options, isTrusted: true });
  restriction.table(configSchema, config, { written: profile, effective: profile, ...root });
  const isSealed = sealedBy(profile);
  return restriction.problems.filter(({ pointer }) => isSealed(pointer));
}

/** Tells whether a profile seals the value at a JSON Pointer. */
export function sealedBy(profile: LayerTable): (pointer: string) => boolean {
  const keys = itemsAt(profile, "mcp", "sealed").map((key) => String(valueAt(key)));
  return (pointer) => keys.some((key) => `${pointer}/`.startsWith(`/${key.replaceAll(".", "/")}/`));
}

/** A position in the config, with the limits at that position. */
interface Position {
  written: LayerNode | undefined;
  effective: LayerNode | undefined;
  name: string;
  /** Whether the default counts as the user's own value. */
  defaultIsLimit: boolean;
  /** Whether it is inside an entry that the user wrote, which is theirs as a whole. */
  isUserEntry: boolean;
  /** Whether trust was already requested for a table above it. */
  isRequested: boolean;
}

const root = { name: "", defaultIsLimit: false, isUserEntry: false, isRequested: false };

class Restriction {
  readonly problems: Problem[] = [];
  readonly requests: TrustRequest[] = [];
  /** Whether the limits are a profile's, where a missing value is no limit. */
  readonly #isProfile: boolean;
  readonly #report: Comparison["report"];

  constructor(
    code: "config/shrunk" | "config/sealed",
    private readonly options: RestrictOptions,
  ) {
    this.#isProfile = code === "config/sealed";
    this.#report = (node, message) =>
      this.problems.push(problemAt(node.layer.places, code, message, node.path));
  }

  table(schema: Schema, table: LayerTable, position: Position): LayerTable {
    const shape = shapeOf(schema);
    const changes: { [key: string]: LayerNode | undefined } = {};
    for (const [key, node] of table.entries) {
      // Validation reports keys that the schema does not know.
      const child = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (child !== undefined) changes[key] = this.#key(child, node, childPosition(position, key));
    }
    return withEntries(table, changes);
  }

  /** The same for a nested table. One that lost all its keys is dropped: an empty one might be invalid. */
  #nested(schema: Schema, table: LayerTable, position: Position): LayerTable | undefined {
    const left = this.table(schema, table, position);
    return left.entries.size === 0 && table.entries.size > 0 ? undefined : left;
  }

  #key(schema: Schema, node: LayerNode, parent: Position): LayerNode | undefined {
    const ownRule = ruleOf(schema);
    const inner = tableOf(schema);
    const defaultIsLimit = parent.defaultIsLimit || (ownRule?.defaultIsLimit === true && !this.#isProfile);
    const position = { ...parent, defaultIsLimit };
    if (ownRule === undefined && inner !== undefined && node.kind === "table")
      if (!position.isUserEntry || hasRules(inner)) return this.#nested(inner, node, position);
    const rule: DiscoveredRule = ownRule ?? { rule: "needs_trust" };
    const isOneValue = inner === undefined || rule.rule !== "needs_trust";
    if (isOneValue || (ownRule === undefined && position.isRequested))
      return this.#value(rule, node, position);
    if (node.kind === "list") return this.#entries(inner, rule, node, position);
    this.#request(rule.label, node, position);
    return node.kind === "table" ? this.#nested(inner, node, { ...position, isRequested: true }) : node;
  }

  /** Named entries: the user's own ones cannot be replaced, and a new server is at least as confined as theirs. */
  #entries(schema: Schema, rule: DiscoveredRule, list: LayerList, position: Position): LayerNode {
    const key = keyOf(schema);
    const nameOf = (node: LayerNode) => valueAt(node, key);
    const items = list.items.map((entry) => {
      if (entry.kind !== "table") return entry;
      const [written, effective] = [position.written, position.effective].map((limit) =>
        itemsAt(limit).find((other) => nameOf(other) === nameOf(entry)),
      );
      const inner: Position = {
        written,
        effective,
        isRequested: true,
        defaultIsLimit: effective !== undefined && !this.#isProfile,
        isUserEntry: written !== undefined && !this.#isProfile,
        name: `${position.name}.${String(nameOf(entry))}`,
      };
      // A disabled server does nothing, so it needs no trust.
      if (valueAt(entry, "enabled") !== false) this.#request(rule.label ?? "", entry, inner);
      return effective === undefined && !this.#isProfile
        ? restrictNewServer(schema, entry, itemsAt(position.effective), this.#report)
        : this.table(schema, entry, inner);
    });
    return { ...list, items };
  }

  #value(rule: DiscoveredRule, value: LayerNode, position: Position): LayerNode | undefined {
    const { isTrusted, base, files } = this.options;
    const { name, written, effective } = position;
    // With `needs_trust` only what the user wrote, or an entry that they wrote, is a limit.
    const isStrict = rule.rule === "needs_trust" ? position.isUserEntry : position.defaultIsLimit;
    const userOrDefault = written === undefined ? "the default" : "the user's own";
    const comparison: Comparison = {
      value,
      limit: isTrusted && !isStrict ? written : effective,
      isStrict: isStrict || !isTrusted,
      isUnlimited: rule.unlimited === true,
      limitOwner: this.#isProfile ? "the profile's" : userOrDefault,
      base,
      files,
      report: this.#report,
    };
    if (isTrusted || position.isRequested) return rules[rule.rule](comparison);
    switch (rule.rule) {
      case "needs_trust":
        this.#request(rule.label, value, position);
        return value;
      case "fixed":
        this.#request(valueLabel(rule, value), value, position);
        return value;
      case "subset":
      case "inside": {
        // Each item beyond the limit needs trust.
        const report = (node: LayerNode) =>
          this.requests.push({ name, label: valueLabel(rule, node) ?? "", node });
        return rules[rule.rule]({ ...comparison, report });
      }
      default:
        return rules[rule.rule](comparison);
    }
  }

  #request(label: string | undefined, node: LayerNode, { effective, name }: Position): void {
    if (effective !== undefined && isPartOf(node, effective)) return;
    this.requests.push({ name, label: label ?? `\`${name} = ${textOf(node)}\``, node });
  }
}

function childPosition(position: Position, key: string): Position {
  return {
    ...position,
    written: nodeAt(position.written, [key]),
    effective: nodeAt(position.effective, [key]),
    name: position.name === "" ? key : `${position.name}.${key}`,
  };
}

function hasRules(table: Schema): boolean {
  return Object.values(shapeOf(table)).some((schema) => ruleOf(schema) !== undefined);
}

function valueLabel({ label }: DiscoveredRule, node: LayerNode): string | undefined {
  return label === undefined ? undefined : `${label} \`${valueAt(node)}\``;
}
