/**
 * Writes and removes our marked section in a user's Markdown file, and marks whole files of ours. A digest shows
 * whether the user edited the text.
 */
import { sha256 } from "../../base/hash.js";
import { ConfigError } from "../../base/problem.js";
import { problemWithoutPlace } from "../text/source.js";
import { appendBlock, cutBlock, lineBreak, splice } from "./text-lines.js";

const DIGITS = 12;

/** The text with its digest in parentheses after `mark`, which occurs in it once. */
export function stamped(text: string, mark: string): string {
  return text.replace(mark, () => `${mark} (${digestOf(text)})`);
}

export function isUntouched(text: string, mark: string): boolean {
  const at = text.indexOf(mark);
  const end = at + mark.length;
  const [stamp = "", digest] = /^ \(([0-9a-f]+)\)/.exec(text.slice(end)) ?? [];
  if (at < 0 || digest === undefined) return false;
  return digestOf(splice(text, end, end + stamp.length, "")) === digest;
}

/** The digest ignores CRLF versus LF and white space at the end. */
function digestOf(text: string): string {
  return sha256(text.replaceAll("\r\n", "\n").trimEnd()).slice(0, DIGITS);
}

const beginMark = (name: string) => `<!-- ${name}: begin, written by \`lsp-proxy skill\``;
const endMark = (name: string) => `<!-- ${name}: end -->`;

export function withSection(text: string, name: string, section: string): string {
  const whole = [`${beginMark(name)} -->`, section.trimEnd(), endMark(name)].join("\n");
  const block = stamped(whole, beginMark(name)).replaceAll("\n", lineBreak(text));
  const span = sectionSpan(text, name);
  return span ? splice(text, ...span, block) : appendBlock(text, block);
}

export function withoutSection(text: string, name: string): string {
  const span = sectionSpan(text, name);
  if (!span) return text;
  const [from, to] = span;
  return cutBlock(text, from, to + (/^\r?\n/.exec(text.slice(to))?.[0].length ?? 0));
}

export function isSectionEdited(text: string, name: string): boolean {
  const span = sectionSpan(text, name);
  return span !== undefined && !isUntouched(text.slice(...span), beginMark(name));
}

/** The offsets of the section. Throws when its end mark is missing: what follows may be the person's. */
function sectionSpan(text: string, name: string): readonly [number, number] | undefined {
  const from = text.indexOf(beginMark(name));
  if (from < 0) return undefined;
  const to = text.indexOf(endMark(name), from);
  const next = text.indexOf(beginMark(name), from + 1);
  if (to >= 0 && (next < 0 || next > to)) return [from, to + endMark(name).length];
  const message = `the section \`${beginMark(name)} … -->\` has no \`${endMark(name)}\``;
  const fix = "Put the end mark where the section ends, or delete the begin mark.";
  throw new ConfigError([problemWithoutPlace("client/no-place", message, fix)]);
}
