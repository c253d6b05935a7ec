/** A text of ours that a person may edit carries a digest of itself, so that a later run knows whether anybody did. */
import { sha256 } from "../../base/hash.js";

const DIGITS = 12;

/** A text with a digest of all of it behind the words that it is marked with; they stand in it once. */
export function stamped(text: string, mark: string): string {
  return text.replace(mark, () => `${mark} (${digestOf(text)})`);
}

/** Whether a text is as it was stamped. */
export function isUntouched(text: string, mark: string): boolean {
  const at = text.indexOf(mark);
  const end = at + mark.length;
  const [stamp = "", digest] = /^ \(([0-9a-f]+)\)/.exec(text.slice(end)) ?? [];
  if (at < 0 || digest === undefined) return false;
  return digestOf(text.slice(0, end) + text.slice(end + stamp.length)) === digest;
}

/** Line breaks are what a checkout makes of them. */
function digestOf(text: string): string {
  return sha256(text.replaceAll("\r\n", "\n").trimEnd()).slice(0, DIGITS);
}
