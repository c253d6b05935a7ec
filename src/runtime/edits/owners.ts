/** What a file may lose, because an edit makes a new one in its place: its owner, its attributes. */
import type { Applied, Preview } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";

const mostNamed = 5;

/** Warns of files that would belong to somebody else afterwards. */
export function tellOwners(call: CallState, { files }: Preview): void {
  const lost = files.filter(({ losesOwner }) => losesOwner).map(({ shown }) => shown);
  if (lost.length === 0) return;
  call.evidence.warn(
    "answer/owner-lost",
    `These belong to another user and, edited, to the user of the proxy: ${few(lost)}.`,
  );
}

/** Warns of files that have lost extended attributes or access lists. */
export function tellBared(call: CallState, { bared }: Applied): void {
  if (bared.length === 0) return;
  call.evidence.warn(
    "answer/attributes-lost",
    `Extended attributes or access lists of these could not all be kept: ${few(bared)}.`,
  );
}

function few(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `${names.slice(0, mostNamed).join(", ")}${more}`;
}
