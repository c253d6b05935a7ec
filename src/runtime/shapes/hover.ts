/** Hover texts as Markdown: from a string, a marked string, a list of those, or markup content. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isRange, listOf, type ReplyPart } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Shape } from "./shape.js";

const MAX_PARTS = 8;
const PART_CHARACTERS = 8192;

/** The shape `hover`. */
export const hover: Shape = {
  nouns: undefined,
  async normalize(reply, call) {
    const texts = reply.parts.flatMap((part) => contentsOf(part)).filter(({ value }) => value.trim() !== "");
    if (texts.length > MAX_PARTS) noteCut(call, `Only ${MAX_PARTS} of ${texts.length} parts are shown.`);
    const items = texts.slice(0, MAX_PARTS).map(({ kind, value }): Json => {
      const kept = cutCharacters(value, PART_CHARACTERS);
      if (kept.cut) noteCut(call, `A part is longer than ${PART_CHARACTERS} characters and was cut.`);
      return call.tool.output.marked ? { kind, value: kept.text } : kept.text;
    });
    return { items, beside: await rangeBeside(reply.parts, call) };
  },
  shorten: (items, beside, characters) => ({
    items: items.map((item): Json => {
      const { text } = cutCharacters(textIn(item), characters);
      return typeof item === "string" ? text : { ...table(item), value: text };
    }),
    beside,
  }),
  text(items, beside, dialect) {
    if (items.length === 0) return ["There is no hover text at this position."];
    const shown = dialect.position.answers === "object" ? beside : (beside.range ?? null);
    const range = beside.range === undefined ? [] : [`Range: ${rangeText(shown, dialect)}`];
    return [...range, ...items.map(textIn)];
  },
};

/** One text of a hover and its format. */
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

/** A code block with a fence longer than any in the code. */
export function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

async function rangeBeside(parts: ReplyPart[], call: CallState): Promise<JsonObject> {
  const uri = call.evidence.document?.admitted.uri;
  for (const { server, value } of parts) {
    const range = isTable(value) ? value.range : undefined;
    if (server === undefined || uri === undefined || !isRange(range)) continue;
    const lines = await call.places.lines(server, uri);
    return { range: call.places.rangeValue(lines, server, range) };
  }
  return {};
}

function noteCut(call: CallState, message: string): void {
  call.evidence.cut();
  call.evidence.warn("answer/truncated", message);
}
