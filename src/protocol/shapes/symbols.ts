/** Shapes whose items are symbols. */
import { closed, documentFields, optional, pointFields, required, spanFields } from "../spelling.js";
import { type ShapeFacts, selectionRange, symbolName, text } from "./facts.js";

/** The symbols of one file. */
export const documentSymbolsFacts: ShapeFacts = {
  list: "symbols",
  counted: true,
  order: ["range", "name", "kind", "container"],
  item: (dialect) =>
    closed(symbolName, spanFields(dialect), selectionRange(dialect), optional({ container: text })),
};

/** Symbols of the workspace. The range is complete or absent. */
export const workspaceSymbolsFacts: ShapeFacts = {
  list: "symbols",
  counted: true,
  order: ["document", "range", "name", "kind", "container"],
  item: (dialect) =>
    closed(
      symbolName,
      documentFields(dialect),
      optional(spanFields(dialect).properties),
      selectionRange(dialect),
      optional({ container: text }),
    ),
};

/** Callers or callees, each with the positions of the calls (`sites`). */
export const callsFacts: ShapeFacts = {
  list: "calls",
  counted: true,
  order: ["document", "place", "name", "kind"],
  item: (dialect) =>
    closed(
      symbolName,
      documentFields(dialect),
      pointFields(dialect),
      optional({ text }),
      required({ sites: { type: "array", items: closed(pointFields(dialect)) } }),
    ),
};

/** Supertypes or subtypes. */
export const typesFacts: ShapeFacts = {
  list: "types",
  counted: true,
  order: ["document", "place", "name", "kind"],
  item: (dialect) =>
    closed(symbolName, documentFields(dialect), pointFields(dialect), optional({ detail: text })),
};

/** Names of a symbol across projects. */
export const monikersFacts: ShapeFacts = {
  list: "monikers",
  counted: true,
  order: ["scheme", "identifier", "kind"],
  item: () => closed(required({ scheme: text, identifier: text, unique: text }), optional({ kind: text })),
};
