/** Supertypes or subtypes: name, kind, path, <place>, detail?. */
import { closed, documentFields, joinFields, pointFields } from "../spelling.js";
import { none, optional, type ShapeFacts, symbolName, text } from "./facts.js";

/** The facts of `types`. */
export const typesFacts: ShapeFacts = {
  description: "Types above or below a type.",
  list: "types",
  counted: true,
  order: ["document", "place", "name", "kind"],
  item: (dialect) =>
    closed(joinFields(symbolName, documentFields(dialect), pointFields(dialect), optional({ detail: text }))),
  beside: () => none,
};
