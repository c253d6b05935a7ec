/** Shapes whose items are symbols. */
import { closed, documentFields, joinFields, optionalFields, pointFields, spanFields } from "../spelling.js";
import { optional, required, type ShapeFacts, selectionRange, symbolName, text } from "./facts.js";

/** name, kind, <range>, selection_range?, container?. */
export const documentSymbolsFacts: ShapeFacts = {
  description: "The symbols of one file.",
  list: "symbols",
  counted: true,
  order: ["range", "name", "kind", "container"],
  item: (dialect) =>
    closed(
      joinFields(symbolName, spanFields(dialect), selectionRange(dialect), optional({ container: text })),
    ),
};

/** name, kind, path, <range>? (all four numbers or none), selection_range?, container?. */
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
};

/** name, kind, path, <place>, text? (if the tool shows snippets), sites: [<place>]. */
export const callsFacts: ShapeFacts = {
  description: "Callers or callees, each with the places of the calls.",
  list: "calls",
  counted: true,
  order: ["document", "place", "name", "kind"],
  item: (dialect) =>
    closed(
      joinFields(
        symbolName,
        documentFields(dialect),
        pointFields(dialect),
        optional({ text }),
        required({ sites: { type: "array", items: closed(pointFields(dialect)) } }),
      ),
    ),
};

/** name, kind, path, <place>, detail?. */
export const typesFacts: ShapeFacts = {
  description: "Types above or below a type.",
  list: "types",
  counted: true,
  order: ["document", "place", "name", "kind"],
  item: (dialect) =>
    closed(joinFields(symbolName, documentFields(dialect), pointFields(dialect), optional({ detail: text }))),
};

/** scheme, identifier, unique, kind?. */
export const monikersFacts: ShapeFacts = {
  description: "Names that a symbol has beyond its project.",
  list: "monikers",
  counted: true,
  order: ["scheme", "identifier", "kind"],
  item: () =>
    closed(joinFields(required({ scheme: text, identifier: text, unique: text }), optional({ kind: text }))),
};
