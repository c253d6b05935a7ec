/** A section of ours in a person's Markdown file, between two marks; everything else in the file stays as it is. */
import { ConfigError } from "../../base/problem.js";
import { isUntouched, stamped } from "../edit/stamp.js";

const mark = (name: string) => `<!-- ${name}: begin, written by \`lsp-proxy skill\``;
const end = (name: string) => `<!-- ${name}: end -->`;

/** The text with the section in its place, or at its end. */
export function withSection(text: string, name: string, section: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const whole = [`${mark(name)} -->`, section.trimEnd(), end(name)].join("\n");
  const block = stamped(whole, mark(name)).replaceAll("\n", eol);
  const place = placeOf(text, name);
  if (place) return text.slice(0, place[0]) + block + text.slice(place[1]);
  const before = text.trimEnd();
  return `${before === "" ? "" : `${before}${eol}${eol}`}${block}${eol}`;
}

/** The text without the section and the blank lines before it. */
export function withoutSection(text: string, name: string): string {
  const place = placeOf(text, name);
  if (!place) return text;
  const before = text.slice(0, place[0]).replace(/(\r?\n)[ \t\r\n]*$/, "$1");
  const after = text.slice(place[1]).replace(/^\r?\n/, "");
  return before.trim() === "" ? after.replace(/^\s*\n/, "") : before + after;
}

/** Whether somebody has changed the section since it was written. */
export function isSectionEdited(text: string, name: string): boolean {
  const place = placeOf(text, name);
  return place !== undefined && !isUntouched(text.slice(...place), mark(name));
}

/** Where the section stands. Of one whose end is missing nobody knows how far it goes: what follows is the person's. */
function placeOf(text: string, name: string): readonly [number, number] | undefined {
  const from = text.indexOf(mark(name));
  if (from < 0) return undefined;
  const to = text.indexOf(end(name), from);
  const next = text.indexOf(mark(name), from + 1);
  if (to >= 0 && (next < 0 || next > to)) return [from, to + end(name).length];
  const code = "client/no-place";
  const message = `the section \`${mark(name)} … -->\` has no \`${end(name)}\``;
  const fix = "Put the end mark where the section ends, or delete the begin mark.";
  throw new ConfigError([{ code, severity: "error", message, pointer: "", fix }]);
}
