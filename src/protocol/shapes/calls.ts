/** Callers or callees: name, kind, path, <place>, text? (where a tool shows snippets), sites: [<place>]. */
import { closed, documentFields, joinFields, pointFields } from "../spelling.js";
import { none, optional, required, type ShapeFacts, symbolName, text } from "./facts.js";

/** The facts of `calls`. */
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
        required({
          sites: { type: "array", items: closed(pointFields(dialect)) },
        }),
      ),
    ),
  beside: () => none,
};
