import { expect, it } from "vitest";
import { ProposedEdit } from "../../../src/runtime/edits/proposed-edit.js";
import { SessionPreviews } from "../../../src/runtime/edits/session-previews.js";
import type { Preview } from "../../../src/workspace/edits/types.js";

function previewOf(token: string, before: string): Preview {
  const file = {
    ...{ path: "/work/a", shown: "a", shownAfter: "a", beforeSha256: null, afterSha256: null },
    ...{ before, changes: [], diff: "", diffCut: false, otherLinks: 0, losesOwner: false },
  };
  return { changes: [], files: [file], operations: [], token, reasons: [] };
}

function isKept(held: SessionPreviews, token: string): boolean {
  try {
    held.find(token, "call");
    return true;
  } catch {
    return false;
  }
}

it("previews of a session go, oldest first, when they take up too much; the newest stays", () => {
  const held = new SessionPreviews(20_000);
  const keep = (token: string, size: number): void =>
    held.keep("call", {
      ...{ edit: new ProposedEdit(), readiness: undefined },
      preview: previewOf(token, "x".repeat(size)),
    });
  const kept = (): string[] => ["one", "two", "three", "large"].filter((token) => isKept(held, token));
  keep("one", 4_000);
  keep("two", 4_000);
  expect(kept()).toEqual(["one", "two"]);
  // Kept twice, it is counted once.
  keep("one", 4_000);
  expect(kept()).toEqual(["one", "two"]);
  keep("three", 4_000);
  expect(kept()).toEqual(["one", "three"]);
  keep("large", 40_000);
  expect(kept()).toEqual(["large"]);
});
