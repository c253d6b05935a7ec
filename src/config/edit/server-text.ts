/** Writes a server's table as TOML in the catalogue's layout: keys in a fixed order, nested tables as dotted keys. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { tomlKey, tomlText } from "../../base/toml-text.js";

const WIDTH = 120;

const KEYS: readonly string[] = [
  "id",
  "kind",
  "adapter",
  "kinds",
  "known_as",
  "enabled",
  "languages",
  "rank",
  "preferred",
  "companion",
  "stack",
  "interpreter",
  "command",
  "args",
  "command_env",
  "env",
  "transport",
  "probe",
  "requires",
  "extensions",
  "filenames",
  "globs",
  "language_id",
  "language_ids",
  "root_markers",
  "root_pick",
  "root_dir",
  "cwd",
  "workspace_folders",
  "features",
  "priority",
  "initialize_options",
  "workspace_configuration",
  "push_configuration",
  "untrusted",
  "client_capabilities",
  "replies",
  "forward",
  "ready",
  "check",
  "open_on_change",
  "warm_imports",
  "diagnostics",
  "share_roots",
];

/** Other programs' settings, which are written with one line per member. */
const OPEN_KEYS: readonly string[] = ["workspace_configuration", "client_capabilities"];

const LAST_KEYS: readonly string[] = ["install", "homepage"];

/** The lines of a table, without its header. */
export function serverLines(server: JsonObject): string[] {
  return sortBy(Object.keys(server), (key) => [position(key), key]).flatMap((key) =>
    memberLines([key], server[key] as Json),
  );
}

/** A comment as lines that begin with `#`, broken at words. */
export function commentLines(comment: string): string[] {
  return wrapped(comment.split(/\s+/), "# ");
}

/** The comment at the start of a preset file, as one text. */
export function commentOf(text: string): string {
  const [comment = ""] = /^(?:# .*\n)*/.exec(text) ?? [];
  return comment.trimEnd().replaceAll("\n# ", " ").slice(2);
}

/** A key's position; unknown keys are between the first and the last ones. */
function position(key: string): number {
  const first = KEYS.indexOf(key);
  return first >= 0 ? first : KEYS.length + 1 + LAST_KEYS.indexOf(key);
}

/** A table with one member becomes a dotted key; others are inline, or on several lines where they do not fit. */
function memberLines(path: string[], value: Json): string[] {
  const key = path.map(tomlKey).join(".");
  if (isTable(value)) {
    const members = Object.entries(value) as [string, Json][];
    const isOpen = OPEN_KEYS.includes(path.join("."));
    const inline = `${key} = ${inlineText(value)}`;
    if (members.length === 1 || (members.length > 1 && (isOpen || inline.length > WIDTH)))
      return members.flatMap(([name, member]) => memberLines([...path, name], member));
    return [inline];
  }
  const line = `${key} = ${inlineText(value)}`;
  if (!Array.isArray(value) || line.length <= WIDTH) return [line];
  const items = value.map((item) => `${inlineText(item)},`);
  return [`${key} = [`, ...wrapped(items, "  "), "]"];
}

/** Items in as few lines as possible. */
function wrapped(items: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + item.length + 1 <= WIDTH) lines.push(`${lines.pop()} ${item}`);
    else lines.push(`${indent}${item}`);
  }
  return lines;
}

/** A value on one line; a nested table with one member becomes a dotted key. */
function inlineText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inlineText).join(", ")}]`;
  if (!isTable(value)) return tomlText(value);
  const members = Object.entries(value).map(([key, member]) => inlineMember([key], member));
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function inlineMember(path: string[], value: Json): string {
  if (isTable(value)) {
    const [first, ...others] = Object.entries(value);
    if (first !== undefined && others.length === 0) return inlineMember([...path, first[0]], first[1]);
  }
  return `${path.map(tomlKey).join(".")} = ${inlineText(value)}`;
}
