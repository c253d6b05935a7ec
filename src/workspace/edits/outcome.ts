/** What steps that were done come to, for whoever counts and for whoever must be told of it. */
import { sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import type { Gate } from "../types.js";
import { shownAs } from "./preview.js";
import { filesOf, type Step } from "./step.js";
import type { AppliedFile, AppliedOperation, Undone } from "./types.js";

/** The files and names that changed; `counts` tells how many changes a file's text had, by its path before. */
export function outcomeOf(gate: Gate, steps: Step[], counts: ReadonlyMap<string, number>): Undone {
  const files: AppliedFile[] = [];
  const operations: AppliedOperation[] = [];
  const file = (path: string, before: string | null, after: string | null, changes: number): void => {
    files.push({ path, shown: shownAs(gate, path), beforeSha256: before, afterSha256: after, changes });
  };
  for (const [index, step] of steps.entries()) {
    if (step.kind === "swap")
      file(step.after, step.before.sha256, step.now.sha256, counts.get(step.path) ?? 1);
    if (step.kind === "move") {
      const { from, to, folder } = step;
      const shown = { shown: shownAs(gate, from), shownTo: shownAs(gate, to) };
      operations.push({ kind: "rename", path: from, to, ...shown, folder });
    }
    if (step.kind !== "place" && step.kind !== "take") continue;
    const isPlace = step.kind === "place";
    const { path, tree } = step;
    for (const { path: below, file: part } of filesOf(tree, path)) {
      const { sha256 } = part.state;
      if (isPlace) file(placeAfter(below, steps.slice(index + 1)), null, sha256, 1);
      else file(below, sha256, null, 0);
    }
    const kind = isPlace ? "create" : "delete";
    operations.push({ kind, path, shown: shownAs(gate, path), folder: tree.kind === "folder" });
  }
  return { files: sortBy(files, ({ shown, afterSha256 }) => [shown, afterSha256 ?? ""]), operations };
}

/** Where the moves among later steps bring a path. */
export function placeAfter(path: string, later: Step[]): string {
  return later.reduce(
    (at, step) =>
      step.kind === "move" && isInside(at, step.from) ? step.to + at.slice(step.from.length) : at,
    path,
  );
}
