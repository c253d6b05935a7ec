/** The symbols of one file: name, kind, <range>, selection_range? (where the range is the declaration), container?. */
import { closed, joinFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, selectionRange, symbolName, text } from "./facts.js";

/** The facts of `document_symbols`. */
export const documentSymbolsFacts: ShapeFacts = {
  description: "The symbols of one file.",
  list: "symbols",
  counted: true,
  order: ["range", "name", "kind", "container"],
  item: (dialect) =>
    closed(
      joinFields(symbolName, spanFields(dialect), selectionRange(dialect), optional({ container: text })),
    ),
  beside: () => none,
};
