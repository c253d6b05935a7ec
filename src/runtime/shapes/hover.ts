/** Type and documentation as Markdown texts: from a string, a marked string, a list of those, or markup. */
import { isTable, type JsonObject } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, listOf } from "../lsp-values.js";
import type { ReplyPart } from "../reply.js";
import type { Shape } from "./shape.js";
import { rangeText, textOf } from "./spelt.js";

const mostParts = 8;
const partCharacters = 8192;

/** The shape `hover`. */
export const hover: Shape = {
  nouns: undefined,
  async normalize(reply, call) {
    const texts = reply.parts.flatMap((part) => contentsOf(part)).filter((text) => text.trim() !== "");
    if (texts.length > mostParts) noteCut(call, `Only ${mostParts} of ${texts.length} parts are shown.`);
    const items = texts.slice(0, mostParts).map((text) => {
      const kept = cutCharacters(text, partCharacters);
      if (kept.cut) noteCut(call, `A part is longer than ${partCharacters} characters and was cut.`);
      return kept.text;
    });
    return { items, beside: await rangeBeside(reply.parts, call) };
  },
  shorten: (items, beside, characters) => ({
    items: items.map((item) => cutCharacters(textOf(item), characters).text),
    beside,
  }),
  text(items, beside, dialect) {
    if (items.length === 0) return ["Nothing is known about this place."];
    const range = beside.range === undefined ? [] : [`Range: ${rangeText(beside.range, dialect)}`];
    return [...range, ...items.map(textOf)];
  },
};

function contentsOf({ server, value }: ReplyPart): string[] {
  if (value === null || value === undefined) return [];
  if (!isTable(value)) throw garbled(server, "a hover");
  return listOf(value.contents).map((content) => {
    if (typeof content === "string") return content;
    if (!isTable(content) || typeof content.value !== "string") throw garbled(server, "a hover");
    return typeof content.language === "string" ? fenced(content.value, content.language) : content.value;
  });
}

/** A code block whose fence is longer than any within. */
export function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

async function rangeBeside(parts: ReplyPart[], call: CallState): Promise<JsonObject> {
  const uri = call.evidence.document?.admitted.uri;
  for (const { server, value } of parts) {
    if (server === undefined || uri === undefined || !isTable(value) || !isRange(value.range)) continue;
    return { range: await call.places.span(server, uri, value.range) };
  }
  return {};
}

function noteCut(call: CallState, message: string): void {
  call.evidence.cut();
  call.evidence.warn("answer/truncated", message);
}
