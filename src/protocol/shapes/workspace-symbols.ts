/** Symbols of the workspace: name, kind, path, <range>? (all four or none), selection_range? (of a name that is known), container?. */
import { closed, documentFields, joinFields, optionalFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, selectionRange, symbolName, text } from "./facts.js";

/** The facts of `workspace_symbols`. */
export const workspaceSymbolsFacts: ShapeFacts = {
  description: "Symbols of the whole workspace.",
  list: "symbols",
  counted: true,
  order: ["document", "range", "name", "kind", "container"],
  item: (dialect) =>
    closed(
      joinFields(
        symbolName,
        documentFields(dialect),
        optionalFields(spanFields(dialect)),
        selectionRange(dialect),
        optional({ container: text }),
      ),
    ),
  beside: () => none,
};
