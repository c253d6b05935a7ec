/** What can be folded. A fold without a character begins or ends at the end of its line, as LSP says. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { columnsOf } from "../../base/text.js";
import { garbled, isCount } from "../lsp-values.js";
import { documentEntries } from "./in-document.js";
import { rangeText, table, textOf } from "./rendered.js";
import type { Shape } from "./shape.js";

const what = "a list of folding ranges";

/** The shape `folding_ranges`. */
export const foldingRanges: Shape = {
  nouns: ["folding range", "folding ranges"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, uri, entry } of documentEntries(reply, call, what)) {
      if (!isTable(entry) || !isCount(entry.startLine) || !isCount(entry.endLine))
        throw garbled(server, what);
      const lines = await call.places.lines(server, uri);
      const endOf = (line: number) => columnsOf(lines?.line(line) ?? "", server.encoding);
      const { startLine, endLine, startCharacter, endCharacter, kind, collapsedText } = entry;
      const item: JsonObject = await call.places.span(server, uri, {
        start: { line: startLine, character: isCount(startCharacter) ? startCharacter : endOf(startLine) },
        end: { line: endLine, character: isCount(endCharacter) ? endCharacter : endOf(endLine) },
      });
      if (typeof kind === "string") item.kind = kind;
      if (typeof collapsedText === "string") item.collapsed_text = collapsedText;
      items.push(item);
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { kind, collapsed_text } = table(item);
      return [rangeText(item, dialect), textOf(kind), textOf(collapsed_text)].join("  ").trimEnd();
    }),
};
