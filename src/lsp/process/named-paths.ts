/**
 * The paths that a server's words and settings name by a word of ours: `<workspace>`, `<node_modules>`. Servers load code from
 * where the second one leads, so that of a workspace counts once it is trusted; until then it is the program's own.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { define, isTable, type Json } from "../../base/json.js";
import { isInside } from "../inside.js";
import { type ProgramContext, strangersOf } from "./program.js";

/** What each name stands for. */
export type NamedPaths = { readonly [name: string]: string };

/** The named paths of a server for one root; one that runs elsewhere has no program. */
export function namedPathsOf(
  root: string,
  program: string | undefined,
  context: Pick<ProgramContext, "roots" | "avoid" | "binFolders">,
): NamedPaths {
  const strangers = strangersOf(context);
  const from = strangers.length === 0 ? root : dirname(realpathSync(program ?? process.execPath));
  return { workspace: root, node_modules: nodeModulesOf(from, strangers) };
}

/** Puts the named paths, and further names, into every text of a value. */
export function withNamedPaths<T extends Json>(value: T, names: NamedPaths): T {
  const fill = (item: Json): Json => {
    if (typeof item === "string")
      return item.replace(
        /<(\w+)>/g,
        (word, name: string) => (Object.hasOwn(names, name) ? names[name] : word) ?? word,
      );
    if (Array.isArray(item)) return item.map(fill);
    if (!isTable(item)) return item;
    const out: { [key: string]: Json } = {};
    for (const [key, member] of Object.entries(item)) define(out, key, fill(member));
    return out;
  };
  return fill(value) as T;
}

/** The nearest `node_modules` at or above a folder, which may not be there: a stranger's above it does not count. */
function nodeModulesOf(from: string, strangers: readonly string[]): string {
  const owners = new Set([process.getuid?.(), 0, statSync(from, { throwIfNoEntry: false })?.uid]);
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules");
    const facts = statSync(found, { throwIfNoEntry: false });
    const isStrange = strangers.some((strange) => isInside(strange, found));
    if (facts !== undefined && owners.has(facts.uid) && !isStrange) return found;
    if (dirname(folder) === folder) return join(from, "node_modules");
  }
}
