/** What somebody saw, against the files as they are. */
import type { Remembered } from "./previews.js";
import type { ApplyOptions, Preview, Reason } from "./types.js";

/** How the hashes that a caller expects differ from those that are. */
export function expectationsOf(preview: Preview, expected: ApplyOptions["expected"]): Reason[] {
  if (expected === undefined) return [];
  const reasons: Reason[] = [];
  const wanted = new Map(Object.entries(expected));
  for (const { shown, beforeSha256 } of preview.files) {
    if (beforeSha256 === null) continue;
    const hash = wanted.get(shown);
    wanted.delete(shown);
    if (hash === undefined)
      reasons.push({ code: "edit/unexpected", path: shown, message: "has no expected hash" });
    else if (hash.toLowerCase() !== beforeSha256)
      reasons.push({ code: "edit/changed", path: shown, message: "has another hash than expected" });
  }
  for (const path of wanted.keys())
    reasons.push({ code: "edit/unexpected", path, message: "is expected but not part of the edit" });
  return reasons;
}

/** Why a preview does not hold any more. */
export function changesSince(remembered: Remembered, now: Preview): Reason[] {
  const changed = now.files.filter(({ shown, beforeSha256 }) => {
    return (remembered.before.get(shown) ?? null) !== beforeSha256;
  });
  const paths = changed.length > 0 ? changed.map(({ shown }) => shown) : ["."];
  return paths.map((path) => ({ code: "edit/changed", path, message: "changed since the preview" }));
}
