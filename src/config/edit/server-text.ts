/**
 * A server's table as TOML text, in the one layout that the catalogue has: keys in a fixed order, nested tables as
 * dotted keys, nothing wider than a screen where it can be broken.
 */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { tomlKey, tomlText } from "../../base/toml-text.js";

const WIDTH = 120;

/** The keys of a server or preset in the order in which they are written: who, what is started, for which files, how. */
const KEYS = [
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
  "diagnostics",
  "share_roots",
] as const;

/** What is said last: how to get it, and where it comes from. */
const LAST_KEYS = ["install", "install_on", "homepage"] as const;

/** The lines of a server's or preset's table, without its header. */
export function serverLines(server: JsonObject): string[] {
  return sortBy(Object.keys(server), (key) => [place(key), key]).flatMap((key) =>
    memberLines([key], server[key] as Json),
  );
}

/** A whole file of the catalogue: its comment, then its keys. */
export function presetText(comment: string, preset: JsonObject): string {
  return [...commentLines(comment), ...serverLines(preset), ""].join("\n");
}

/** A comment in lines that begin with `#`, broken at words. */
export function commentLines(comment: string): string[] {
  const lines: string[] = [];
  for (const word of comment.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= WIDTH) lines.push(`${lines.pop()} ${word}`);
    else lines.push(`# ${word}`);
  }
  return lines;
}

/** The comment that a file of the catalogue begins with, as one text. */
export function commentOf(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("# "));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => line.slice(2))
    .join(" ");
}

function place(key: string): number {
  const early = (KEYS as readonly string[]).indexOf(key);
  if (early >= 0) return early;
  const late = (LAST_KEYS as readonly string[]).indexOf(key);
  return late >= 0 ? KEYS.length + 1 + late : KEYS.length;
}

/** A table of one member becomes a dotted key; a wider one stands inline, or in several lines when it does not fit. */
function memberLines(path: string[], value: Json): string[] {
  const key = path.map(tomlKey).join(".");
  if (isTable(value)) {
    const members = Object.entries(value) as [string, Json][];
    const isOpen = path.length === 1 && isBag(path[0]);
    const inline = `${key} = ${inlineText(value)}`;
    if (members.length === 1 || (members.length > 1 && (isOpen || inline.length > WIDTH)))
      return members.flatMap(([name, member]) => memberLines([...path, name], member));
    return [inline];
  }
  const line = `${key} = ${inlineText(value)}`;
  if (!Array.isArray(value) || line.length <= WIDTH) return [line];
  return [`${key} = [`, ...filled(value.map((item) => `${inlineText(item)},`)), "]"];
}

/** Tables that hold another program's settings: each part of them has a line of its own. */
function isBag(key: string | undefined): boolean {
  return key === "workspace_configuration" || key === "client_capabilities";
}

/** Items in as few indented lines as hold them. */
function filled(items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + item.length + 1 <= WIDTH) lines.push(`${lines.pop()} ${item}`);
    else lines.push(`  ${item}`);
  }
  return lines;
}

/** A value in one line; a table of one member within a table is a dotted key. */
function inlineText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inlineText).join(", ")}]`;
  if (!isTable(value)) return tomlText(value);
  const members = Object.entries(value).map(([key, member]) => inlineMember([key], member as Json));
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function inlineMember(path: string[], value: Json): string {
  if (isTable(value)) {
    const [first, ...others] = Object.entries(value);
    if (first !== undefined && others.length === 0)
      return inlineMember([...path, first[0]], first[1] as Json);
  }
  return `${path.map(tomlKey).join(".")} = ${inlineText(value)}`;
}
