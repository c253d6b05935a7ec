/**
 * Restricts a server that a discovered (untrusted) config adds: the user's strictest sandbox, no limit wider than
 * the user's widest, and no commands in the user's servers.
 */
import { type LayerNode, type LayerTable, nodeAt, valueAt, withEntries } from "../layer.js";
import { ruleOf, type Schema, shapeOf, tableOf } from "../schema-walk.js";
import type { Comparison } from "./rules.js";

type UserServers = readonly LayerNode[];
type Report = Comparison["report"];

/**
 * The server with the strictest sandbox that any of the user's servers has, with limits no wider than the widest
 * of theirs, and without `forward` rules to them. An entry without a `sandbox` key is not a server and is
 * returned unchanged.
 */
export function restrictNewServer(
  schema: Schema,
  entry: LayerTable,
  userServers: UserServers,
  report: Report,
): LayerTable {
  const shape = shapeOf(schema);
  if (!Object.hasOwn(shape, "sandbox")) return entry;
  const limited = shape.limits === undefined ? entry : withLimits(shape.limits, entry, userServers, report);
  let sandbox = entry.entries.get("sandbox");
  for (const limit of userServers.flatMap((server) => nodeAt(server, ["sandbox"]) ?? [])) {
    const strictest = strictestSandbox(valueAt(sandbox), valueAt(limit));
    if (strictest === (valueAt(sandbox) ?? "none")) continue;
    report(sandbox ?? entry, `the user's own servers run in a sandbox; this one too: "${strictest}"`);
    sandbox = { kind: "leaf", layer: entry.layer, path: entry.path, value: strictest };
  }
  const forward = withoutUserServers(entry.entries.get("forward"), userServers, report);
  return withEntries(limited, { sandbox, forward });
}

/** The forward rules without those that run a command in one of the user's servers. */
function withoutUserServers(
  forward: LayerNode | undefined,
  userServers: UserServers,
  report: Report,
): LayerNode | undefined {
  if (forward?.kind !== "list") return forward;
  const ids = userServers.map((server) => valueAt(server, "id"));
  const items = forward.items.filter((rule) => {
    const target = valueAt(rule, "to");
    if (target === undefined || !ids.includes(target)) return true;
    report(rule, `this is ignored: \`${target}\` is the user's own server`);
    return false;
  });
  return { ...forward, items };
}

/** The server with every limit that all of the user's servers have. */
function withLimits(schema: Schema, entry: LayerTable, userServers: UserServers, report: Report): LayerTable {
  const inner = tableOf(schema);
  if (inner === undefined || userServers.length === 0) return entry;
  const own = entry.entries.get("limits");
  const changes: { [key: string]: LayerNode } = {};
  for (const [key, child] of Object.entries(shapeOf(inner))) {
    const values = userServers.map((server) => valueAt(server, "limits", key));
    if (!values.every((value) => typeof value === "number")) continue;
    const isMaximum = ruleOf(child)?.rule === "at_most";
    const limit = isMaximum ? Math.max(...values) : Math.min(...values);
    const value = valueAt(own, key);
    if (typeof value === "number" && (isMaximum ? value <= limit : value >= limit)) continue;
    report(own ?? entry, `the user's own servers have \`limits.${key}\`; this one gets it too: ${limit}`);
    changes[key] = { kind: "leaf", layer: entry.layer, path: entry.path, value: limit };
  }
  if (Object.keys(changes).length === 0) return entry;
  const empty: LayerTable = { kind: "table", layer: entry.layer, path: entry.path, entries: new Map() };
  return withEntries(entry, { limits: withEntries(own?.kind === "table" ? own : empty, changes) });
}

/** The sandbox that has the restrictions of both. */
function strictestSandbox(one: unknown, other: unknown): string {
  const both = `${one ?? "none"} ${other ?? "none"}`;
  const parts = ["read_only", "no_network"].filter((part) => both.includes(part));
  return parts.length === 0 ? "none" : parts.join("_");
}
