/**
 * Accepts the config files of other systems: lspi's camelCase names of our keys and its top-level `workspace_root`, and
 * pathfinder's one `server` with `extensions`, `command` and `rootDir`.
 */
import { define, getAt, isTable, type Json, type JsonObject, toPointer } from "../base/json.js";
import { type Path, problemAt, type Source } from "./text/source.js";

const serverAliases = camelCased([
  "client_capabilities",
  "idle_shutdown_ms",
  "initialize_options",
  "initialize_timeout_ms",
  "language_id",
  "request_timeout_ms",
  "request_timeout_overrides_ms",
  "restart_interval_minutes",
  "root_dir",
  "warmup_timeout_ms",
  "workspace_configuration",
  "workspace_folders",
]);
const mcpAliases = camelCased(["read_only"]);
const outputAliases = camelCased(["max_total_chars_default", "max_total_chars_hard"]);
const workspaceRootNames = ["workspace_root", "workspaceRoot"];

/** The source with our names of all keys; places and pointers still refer to the file as written. */
export function acceptForeignKeys(source: Source): Source {
  const problems: Source["problems"] = [];
  /** Pointer with our names → path with the file's names. */
  const written = new Map<string, Path>();
  const addDuplicate = (path: Path, other: string) => {
    const message = `\`${path.at(-1)}\` is another name for \`${other}\`, which is also set`;
    problems.push(problemAt(source, "config/duplicate-key", message, path, { part: "key" }));
  };
  const rename = (table: Json | undefined, path: Path, aliases: ReadonlyMap<string, string>): Json => {
    if (!isTable(table)) return table ?? null;
    const out: JsonObject = {};
    for (const [key, value] of Object.entries(table)) {
      const name = aliases.get(key) ?? key;
      if (name !== key && Object.hasOwn(table, name)) addDuplicate([...path, key], name);
      else {
        define(out, name, value);
        if (name !== key) written.set(toPointer([...path, name]), [...path, key]);
      }
    }
    return out;
  };

  const tree: JsonObject = fromPathfinder(source.tree, written, addDuplicate);
  // `workspace_root = "x"` means `workspace.roots = ["x"]`.
  for (const name of workspaceRootNames) {
    const root = tree[name];
    if (root === undefined || (tree.workspace !== undefined && !isTable(tree.workspace))) continue;
    delete tree[name];
    if (getAt(tree, ["workspace", "roots"]) !== undefined) addDuplicate([name], "workspace.roots");
    else {
      tree.workspace = { ...tree.workspace, roots: [root] };
      written.set("/workspace/roots", [name]);
      written.set("/workspace/roots/0", [name]);
    }
  }
  if (Array.isArray(tree.servers))
    tree.servers = tree.servers.map((server, index) => rename(server, ["servers", index], serverAliases));
  if (isTable(tree.mcp)) {
    const mcp = rename(tree.mcp, ["mcp"], mcpAliases) as JsonObject;
    tree.mcp = mcp;
    if (isTable(mcp.output)) mcp.output = rename(mcp.output, ["mcp", "output"], outputAliases);
  }
  if (written.size === 0 && problems.length === 0) return source;

  const original = (path: Path): Path => {
    for (let length = path.length; length > 0; length--) {
      const before = written.get(toPointer(path.slice(0, length)));
      if (before) return [...before, ...path.slice(length)];
    }
    return path;
  };
  const refused = [...written].filter(([, path]) => source.refused.has(toPointer(path)));
  return {
    ...source,
    tree,
    problems: [...source.problems, ...problems],
    refused: new Set([...source.refused, ...refused.map(([pointer]) => pointer)]),
    place: (path, part) => source.place(original(path), part),
    pointer: (path) => source.pointer(original(path)),
  };
}

/** A config with pathfinder's `server` as one of ours with the profile `pathfinder`; any other tree is only copied. */
function fromPathfinder(
  tree: JsonObject,
  written: Map<string, Path>,
  addDuplicate: (path: Path, other: string) => void,
): JsonObject {
  const { server, mcp = {}, ...rest } = tree;
  if (!isTable(server) || !isTable(mcp) || rest.servers !== undefined) return { ...tree };
  const { rootDir, ...own } = server as JsonObject;
  const [program] = [own.command].flat();
  const [id = "server"] = /[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.exec(String(program ?? "")) ?? [];
  written.set("/servers", ["server"]);
  written.set("/servers/0", ["server"]);
  const out: JsonObject = {
    ...rest,
    mcp: { context: "pathfinder", ...(mcp as JsonObject) },
    servers: [{ id, ...own }],
  };
  const { workspace = {} } = rest;
  if (rootDir === undefined || !isTable(workspace)) return out;
  const path = ["server", "rootDir"];
  if (workspace.roots !== undefined) {
    addDuplicate(path, "workspace.roots");
    return out;
  }
  const pointers = ["/workspace/roots", "/workspace/roots/0"];
  for (const pointer of rest.workspace === undefined ? ["/workspace", ...pointers] : pointers)
    written.set(pointer, path);
  return { ...out, workspace: { ...workspace, roots: [rootDir] } };
}

function camelCased(keys: readonly string[]): Map<string, string> {
  return new Map(
    keys.map((key) => [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), key]),
  );
}
