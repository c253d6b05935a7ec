/** Type and documentation as Markdown texts: from a string, a marked string, a list of those, or markup. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { type Soon, whenThere } from "../../base/soon.js";
import { cutCharacters } from "../../base/text.js";
import type { ReplyPart } from "../ask/reply.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, listOf } from "../lsp-values.js";
import type { Shape } from "./shape.js";
import { rangeText, table, textOf } from "./spelt.js";

const mostParts = 8;
const partCharacters = 8192;

/** The shape `hover`. */
export const hover: Shape = {
  nouns: undefined,
  normalize(reply, call) {
    const texts = reply.parts.flatMap((part) => contentsOf(part)).filter(({ value }) => value.trim() !== "");
    if (texts.length > mostParts) noteCut(call, `Only ${mostParts} of ${texts.length} parts are shown.`);
    const items = texts.slice(0, mostParts).map(({ kind, value }): Json => {
      const kept = cutCharacters(value, partCharacters);
      if (kept.cut) noteCut(call, `A part is longer than ${partCharacters} characters and was cut.`);
      return call.tool.output.marked ? { kind, value: kept.text } : kept.text;
    });
    return whenThere(rangeBeside(reply.parts, call), (beside) => ({ items, beside }));
  },
  shorten: (items, beside, characters) => ({
    items: items.map((item): Json => {
      const { text } = cutCharacters(textIn(item), characters);
      return typeof item === "string" ? text : { ...table(item), value: text };
    }),
    beside,
  }),
  text(items, beside, dialect) {
    if (items.length === 0) return ["Nothing is known about this place."];
    const shown = dialect.position.answers === "object" ? beside : (beside.range ?? null);
    const range = beside.range === undefined ? [] : [`Range: ${rangeText(shown, dialect)}`];
    return [...range, ...items.map(textIn)];
  },
};

/** One text of a hover, and how it is written. */
interface Marked {
  kind: "markdown" | "plaintext";
  value: string;
}

function textIn(item: Json): string {
  return typeof item === "string" ? item : textOf(table(item).value);
}

function contentsOf({ server, value }: ReplyPart): Marked[] {
  if (value === null || value === undefined) return [];
  if (!isTable(value)) throw garbled(server, "a hover");
  return listOf(value.contents).map((content) => {
    if (typeof content === "string") return { kind: "markdown", value: content };
    if (!isTable(content) || typeof content.value !== "string") throw garbled(server, "a hover");
    if (typeof content.language === "string")
      return { kind: "markdown", value: fenced(content.value, content.language) };
    return { kind: content.kind === "plaintext" ? "plaintext" : "markdown", value: content.value };
  });
}

/** A code block whose fence is longer than any within. */
export function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

function rangeBeside(parts: ReplyPart[], call: CallState): Soon<JsonObject> {
  const uri = call.evidence.document?.admitted.uri;
  for (const { server, value } of parts) {
    const range = isTable(value) ? value.range : undefined;
    if (server === undefined || uri === undefined || !isRange(range)) continue;
    return whenThere(call.places.lines(server, uri), (lines) => ({
      range: call.places.spanValue(lines, server, range),
    }));
  }
  return {};
}

function noteCut(call: CallState, message: string): void {
  call.evidence.cut();
  call.evidence.warn("answer/truncated", message);
}
