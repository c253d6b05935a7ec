/**
 * A config that was found in a workspace may only narrow what the user's own config allows. What it asks for beyond
 * that is dropped, each time with a warning.
 */
import type { Problem } from "../base/problem.js";
import { itemsOf, type LayerNode, type LayerTable, leafValue, nodeAt, withEntries } from "./layer.js";
import { type Path, problemAt } from "./source.js";

type Narrow = (user: LayerNode, workspace: LayerNode, dropped: Drop) => LayerNode;
type Drop = (node: LayerNode, message: string) => void;

const rules: readonly { path: readonly [string, ...string[]]; narrow: Narrow }[] = [
  { path: ["allow", "commands"], narrow: intersection },
  { path: ["allow", "hosts"], narrow: intersection },
  { path: ["allow", "effects"], narrow: intersection },
  { path: ["allow", "env"], narrow: intersection },
  { path: ["workspace", "extra_roots"], narrow: intersection },
  { path: ["workspace", "deny"], narrow: union },
  { path: ["mcp", "read_only"], narrow: onlyTrue },
  { path: ["mcp", "tools", "allow"], narrow: choice },
  { path: ["mcp", "tools", "exclude"], narrow: union },
  { path: ["mcp", "output", "max_total_chars_default"], narrow: minimum },
  { path: ["mcp", "output", "max_total_chars_hard"], narrow: minimum },
  { path: ["limits", "max_items"], narrow: minimum },
  { path: ["limits", "max_bytes"], narrow: minimum },
  { path: ["limits", "max_message_bytes"], narrow: minimum },
  { path: ["limits", "max_file_bytes"], narrow: minimum },
  { path: ["limits", "timeout_ms"], narrow: minimum },
  { path: ["limits", "max_servers"], narrow: minimum },
  { path: ["limits", "max_open_documents"], narrow: minimum },
  { path: ["servers"], narrow: servers },
  { path: ["http", "allowed_origins"], narrow: intersection },
  { path: ["http", "allowed_hosts"], narrow: intersection },
  { path: ["http", "strict"], narrow: onlyTrue },
  { path: ["http", "max_sessions"], narrow: minimum },
  { path: ["http", "session_idle_ms"], narrow: minimum },
  { path: ["http", "max_body_bytes"], narrow: minimum },
  { path: ["http", "max_calls"], narrow: minimum },
  { path: ["http", "max_calls_per_session"], narrow: minimum },
  { path: ["http", "headers_timeout_ms"], narrow: minimum },
  { path: ["http", "body_timeout_ms"], narrow: minimum },
];

/** What of one server may only become less, the confinement first. */
const serverRules: readonly { path: readonly string[]; narrow: Narrow }[] = [
  { path: ["sandbox"], narrow: confinement },
  { path: ["limits", "memory_mb"], narrow: minimum },
  { path: ["limits", "open_files"], narrow: minimum },
  { path: ["limits", "processes"], narrow: minimum },
];

/** The workspace's config, narrowed to what the user's allows. */
export function shrink(user: LayerTable, workspace: LayerTable): { config: LayerTable; warnings: Problem[] } {
  const warnings: Problem[] = [];
  const dropped: Drop = (node, message) =>
    warnings.push(problemAt(node.layer.places, "config/shrunk", message, node.path));
  let config = workspace;
  for (const { path, narrow } of rules) {
    const ours = nodeAt(user, path);
    const theirs = nodeAt(workspace, path);
    if (ours && theirs) config = replaceAt(config, path, narrow(ours, theirs, dropped));
  }
  return { config, warnings };
}

function replaceAt(table: LayerTable, path: Path, node: LayerNode): LayerTable {
  const [first, ...rest] = path;
  const key = String(first);
  if (rest.length === 0) return withEntries(table, { [key]: node });
  const inner = table.entries.get(key);
  return inner?.kind === "table" ? withEntries(table, { [key]: replaceAt(inner, rest, node) }) : table;
}

function intersection(user: LayerNode, workspace: LayerNode, dropped: Drop): LayerNode {
  if (workspace.kind !== "list") return workspace;
  const allowed = new Set(itemsOf(user).map(leafValue));
  const items = workspace.items.filter((item) => {
    const isAllowed = allowed.has(leafValue(item));
    if (!isAllowed) dropped(item, `${JSON.stringify(leafValue(item))} is not in the user's own list`);
    return isAllowed;
  });
  return { ...workspace, items };
}

/** Like an intersection; but an empty list would mean every tool, so then the user's list stands. */
function choice(user: LayerNode, workspace: LayerNode, dropped: Drop): LayerNode {
  if (itemsOf(user).length === 0) return workspace;
  if (itemsOf(workspace).length === 0) return user;
  const both = intersection(user, workspace, dropped);
  return itemsOf(both).length > 0 ? both : user;
}

function union(user: LayerNode, workspace: LayerNode): LayerNode {
  if (workspace.kind !== "list") return workspace;
  const own = new Set(workspace.items.map(leafValue));
  return {
    ...workspace,
    items: [...itemsOf(user).filter((item) => !own.has(leafValue(item))), ...workspace.items],
  };
}

/** Servers that the user has too, by id. */
function servers(user: LayerNode, workspace: LayerNode, dropped: Drop): LayerNode {
  if (workspace.kind !== "list") return workspace;
  const idOf = (server: LayerNode) => leafValue(nodeAt(server, ["id"]));
  const items = workspace.items.map((theirs) => {
    const ours = itemsOf(user).find((server) => idOf(server) === idOf(theirs));
    if (ours === undefined || theirs.kind !== "table") return theirs;
    return serverRules.reduce<LayerTable>((server, { path, narrow }) => {
      const [mine, asked] = [nodeAt(ours, path), nodeAt(theirs, path)];
      return mine && asked ? replaceAt(server, path, narrow(mine, asked, dropped)) : server;
    }, theirs);
  });
  return { ...workspace, items };
}

/** A sandbox that holds less than the user's gives way to it. */
function confinement(user: LayerNode, workspace: LayerNode, dropped: Drop): LayerNode {
  const [ours, theirs] = [leafValue(user), leafValue(workspace)];
  if (ours === theirs || ours === "none" || theirs === "read_only_no_network") return workspace;
  dropped(workspace, `${JSON.stringify(theirs)} confines less than the user's own ${JSON.stringify(ours)}`);
  return user;
}

function minimum(user: LayerNode, workspace: LayerNode, dropped: Drop): LayerNode {
  const most = leafValue(user);
  const asked = leafValue(workspace);
  if (typeof most !== "number" || typeof asked !== "number" || asked <= most) return workspace;
  dropped(workspace, `${asked} is more than the user's own ${most}`);
  return user;
}

function onlyTrue(user: LayerNode, workspace: LayerNode, dropped: Drop): LayerNode {
  if (leafValue(user) !== true || leafValue(workspace) !== false) return workspace;
  dropped(workspace, "the user's own config says `true`");
  return user;
}
