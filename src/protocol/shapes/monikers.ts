/** Names of a symbol across projects: scheme, identifier, unique, kind?. */
import { closed, joinFields } from "../spelling.js";
import { none, optional, required, type ShapeFacts, text } from "./facts.js";

/** The facts of `monikers`. */
export const monikersFacts: ShapeFacts = {
  description: "Names that a symbol has beyond its project.",
  list: "monikers",
  counted: true,
  order: ["scheme", "identifier", "kind"],
  item: () =>
    closed(joinFields(required({ scheme: text, identifier: text, unique: text }), optional({ kind: text }))),
  beside: () => none,
};
