/** Files of other users: an edit makes a new file in their place, which only the superuser could give back. */
import type { Preview } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";

const mostNamed = 5;

/** Warns of files that would belong to somebody else afterwards. */
export function tellOwners(call: CallState, { files }: Preview): void {
  const lost = files.filter(({ losesOwner }) => losesOwner).map(({ shown }) => shown);
  if (lost.length === 0) return;
  const named = lost.slice(0, mostNamed).join(", ");
  const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : "";
  call.evidence.warn(
    "answer/owner-lost",
    `These belong to another user and, edited, to the user of the proxy: ${named}${more}.`,
  );
}
