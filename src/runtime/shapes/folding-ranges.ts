/** Folding ranges. A fold without a character begins or ends at the end of its line, as LSP says. */
import type { JsonObject } from "../../base/json.js";
import { columnsOf } from "../../base/text.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isCount } from "../ask/candidates.js";
import { documentItems } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a list of folding ranges";

/** The shape `folding_ranges`. */
export const foldingRanges: Shape = {
  nouns: ["folding range", "folding ranges"],
  normalize: (reply, call) =>
    documentItems(reply, call, what, async (entry, server, uri) => {
      const { startLine, endLine, startCharacter, endCharacter, kind, collapsedText } = entry;
      if (!isCount(startLine) || !isCount(endLine)) throw garbled(server, what);
      const lines = await call.places.lines(server, uri);
      const endOf = (line: number) => columnsOf(lines?.line(line) ?? "", server.encoding);
      const item: JsonObject = await call.places.span(server, uri, {
        start: { line: startLine, character: isCount(startCharacter) ? startCharacter : endOf(startLine) },
        end: { line: endLine, character: isCount(endCharacter) ? endCharacter : endOf(endLine) },
      });
      if (typeof kind === "string") item.kind = kind;
      if (typeof collapsedText === "string") item.collapsed_text = collapsedText;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { kind, collapsed_text } = table(item);
      return [rangeText(item, dialect), textOf(kind), textOf(collapsed_text)].join("  ").trimEnd();
    }),
};
