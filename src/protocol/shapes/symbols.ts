/** Shapes whose items are symbols. */

import type { DialectPlan } from "../../abi/plan.js";
import { documentFields, pointFields, spanFields, spanSchema } from "../dialect-format.js";
import { formedSchema } from "../item-form.js";
import { closed, type Fields, joinFields, none, optional, required, text } from "../schema-fields.js";
import { hiddenCount } from "./diagnostics.js";
import type { ShapeFacts } from "./facts.js";

/** The range of a symbol's name, in dialects where the range of a symbol is its whole declaration. */
const selectionRange = (dialect: DialectPlan): Fields =>
  dialect.symbol.extent === "declaration" ? optional({ selection_range: spanSchema(dialect) }) : none;

/** Members of every symbol. */
const symbolName = required({ name: text, kind: text });

/** The symbols of one file. */
export const documentSymbolsFacts: ShapeFacts = {
  list: "symbols",
  counted: true,
  order: ["range", "name", "kind", "container"],
  item: (dialect) =>
    closed(symbolName, spanFields(dialect), selectionRange(dialect), optional({ container: text })),
  otherMembers: (_dialect, output) => hiddenCount(output),
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
  otherMembers: (_dialect, output) => hiddenCount(output),
};

/** The declarations of a symbol with their source. */
export const sourceFacts: ShapeFacts = {
  list: "declarations",
  counted: true,
  order: ["document", "range", "name", "kind"],
  item: (dialect) =>
    closed(
      symbolName,
      documentFields(dialect),
      optional(spanFields(dialect).properties),
      optional({ container: text }),
      required({ source: text }),
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
      hierarchyPlace(dialect),
      optional({ text }),
      required({ sites: { type: "array", items: closed(placeFields(dialect)) } }),
    ),
  otherMembers: (dialect) => {
    const target = closed(symbolName, documentFields(dialect), hierarchyPlace(dialect));
    const form = dialect.items?.target;
    return form === undefined ? none : optional({ target: formedSchema(form, target) });
  },
};

/** A position, or a range in a dialect whose forms may show it. */
const placeFields = (dialect: DialectPlan): Fields =>
  dialect.items === undefined ? pointFields(dialect) : spanFields(dialect);

/** The place of a call or type hierarchy item; with forms also its whole declaration. */
const hierarchyPlace = (dialect: DialectPlan): Fields =>
  dialect.items === undefined
    ? pointFields(dialect)
    : joinFields(spanFields(dialect), required({ declaration: spanSchema(dialect) }));

/** Supertypes or subtypes. */
export const typesFacts: ShapeFacts = {
  list: "types",
  counted: true,
  order: ["document", "place", "name", "kind"],
  item: (dialect) =>
    closed(symbolName, documentFields(dialect), hierarchyPlace(dialect), optional({ detail: text })),
};

/** Names of a symbol across projects. */
export const monikersFacts: ShapeFacts = {
  list: "monikers",
  counted: true,
  order: ["scheme", "identifier", "kind"],
  item: () => closed(required({ scheme: text, identifier: text, unique: text }), optional({ kind: text })),
};
