/** What a server that a workspace's config brings has to take over from the user's own. */
import { type LayerNode, type LayerTable, leafValue, nodeAt, withEntries } from "../layer.js";
import { ruleOf, type Schema, shapeOf, tableOf } from "../schema-walk.js";
import type { Measured } from "./narrow.js";

/** The user's own servers, complete. */
type Own = readonly LayerNode[];
type Tell = Measured["tell"];

/**
 * A new server gets the strictest confinement that the user has any server in, no more than the widest limit of theirs, and no
 * way to run commands in theirs.
 */
export function confineNew(schema: Schema, entry: LayerTable, own: Own, tell: Tell): LayerTable {
  const shape = shapeOf(schema);
  if (!Object.hasOwn(shape, "sandbox")) return entry;
  const limited = shape.limits === undefined ? entry : limitNew(shape.limits, entry, own, tell);
  const theirs = own.flatMap((server) => nodeAt(server, ["sandbox"]) ?? []);
  let sandbox = entry.entries.get("sandbox");
  for (const bound of theirs) {
    const word = strictest(leafValue(sandbox), leafValue(bound));
    if (word === (leafValue(sandbox) ?? "none")) continue;
    tell(sandbox ?? entry, `the user's own servers are confined; this one is too: "${word}"`);
    sandbox = { kind: "leaf", layer: entry.layer, path: entry.path, value: word };
  }
  return withEntries(limited, { sandbox, forward: forwardNew(entry.entries.get("forward"), own, tell) });
}

/** Without the rules by which a new server would have one of the user's own run commands. */
function forwardNew(rules: LayerNode | undefined, own: Own, tell: Tell): LayerNode | undefined {
  if (rules?.kind !== "list") return rules;
  const ids = own.map((server) => leafValue(nodeAt(server, ["id"])));
  const items = rules.items.filter((rule) => {
    const to = leafValue(nodeAt(rule, ["to"]));
    if (to !== undefined && ids.includes(to))
      tell(rule, `this is held back: \`${to}\` is the user's own server`);
    return to === undefined || !ids.includes(to);
  });
  return { ...rules, items };
}

/** A limit that each of the user's own servers has holds for a new one too. */
function limitNew(schema: Schema, entry: LayerTable, own: Own, tell: Tell): LayerTable {
  const inner = tableOf(schema);
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
    tell(asked ?? entry, `the user's own servers have \`limits.${key}\`; this one gets it too: ${bound}`);
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
