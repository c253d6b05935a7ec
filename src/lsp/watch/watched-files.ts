/**
 * Chooses the file changes for a server's didChangeWatchedFiles. A server with registered watchers gets what they match
 * and its own kinds of files; one without gets everything under its root. Of ignored files, each gets only what it
 * registered for and its own kinds of files, such as generated code.
 */
import { relative } from "node:path";
import { isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { type Capabilities, matchesGlob } from "../capabilities.js";
import type { FileChange } from "./workspace-changes.js";

/** Values of LSP's FileChangeType. */
export const CREATED = 1;
export const DELETED = 3;
/** LSP's WatchKind, a bit for each change type. */
const watchKinds = { [CREATED]: 1, 2: 2, [DELETED]: 4 } as const;
const ALL_KINDS = 7;

export function wantedChanges(
  changes: readonly FileChange[],
  capabilities: Capabilities,
  roots: readonly string[],
  isOwn: (path: string) => boolean,
): FileChange[] {
  const watchers = capabilities
    .registered("workspace/didChangeWatchedFiles")
    .flatMap((options) => (isTable(options) && Array.isArray(options.watchers) ? options.watchers : []))
    .filter(isTable);
  const wanted = changes.filter(
    (change) =>
      (watchers.length === 0 && !change.ignored) ||
      isOwn(change.path) ||
      watchers.some((watcher) => matches(watcher, change, roots)),
  );
  return sortBy(wanted, (change) => [change.path]);
}

function matches(watcher: Record<string, unknown>, change: FileChange, roots: readonly string[]): boolean {
  const kind = typeof watcher.kind === "number" ? watcher.kind : ALL_KINDS;
  if ((kind & watchKinds[change.type]) === 0) return false;
  const { globPattern } = watcher;
  if (matchesGlob(globPattern, change.path)) return true;
  return roots.some(
    (root) => isInside(change.path, root) && matchesGlob(globPattern, relative(root, change.path)),
  );
}
