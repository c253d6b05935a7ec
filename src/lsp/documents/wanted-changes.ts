/** The changes on disk that a server wants to be notified of, by the watchers that it registered. */
import { relative } from "node:path";
import type { FileChangeType, WatchKind } from "vscode-languageserver-protocol";
import { BATCH_STEPS, GlobBudget } from "../../base/glob.js";
import { isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { fileChangeTypes, watchKinds } from "../../protocol/lsp-constants.js";
import type { Capabilities } from "../capabilities.js";
import { matchesGlob, matchesOrTooLong } from "../server-globs.js";
import type { FileChange } from "../watch/workspace-changes.js";

/** The bit of a watcher that wants such changes. */
const kindOfChange: { readonly [type in FileChangeType]: WatchKind } = {
  [fileChangeTypes.Created]: watchKinds.Create,
  [fileChangeTypes.Changed]: watchKinds.Change,
  [fileChangeTypes.Deleted]: watchKinds.Delete,
};
const ALL_KINDS = watchKinds.Create | watchKinds.Change | watchKinds.Delete;
/** Each change is matched with each watcher: a server with more of them gets all changes instead. */
const MAX_WATCHERS = 1_000;

/** Without registered watchers a server gets all but ignored files; with them what they match, and its own files. */
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
  const watchesAll = watchers.length === 0 || watchers.length > MAX_WATCHERS;
  const budget = new GlobBudget(BATCH_STEPS);
  const wanted = changes.filter(
    (change) =>
      (watchesAll ? !change.ignored : isWatched(change, watchers, roots, budget)) || isOwn(change.path),
  );
  return sortBy(wanted, (change) => [change.path]);
}

function isWatched(
  change: FileChange,
  watchers: readonly Record<string, unknown>[],
  roots: readonly string[],
  budget: GlobBudget,
): boolean {
  const inRoots = roots.filter((root) => isInside(change.path, root));
  const names = [change.path, ...inRoots.map((root) => relative(root, change.path))];
  return matchesOrTooLong(budget, () =>
    watchers.some((watcher) => {
      budget.spend(1);
      const kind = typeof watcher.kind === "number" ? watcher.kind : ALL_KINDS;
      if ((kind & kindOfChange[change.type]) === 0) return false;
      return names.some((name) => matchesGlob(watcher.globPattern, name, budget));
    }),
  );
}
