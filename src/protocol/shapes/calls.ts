/** Callers or callees: name, kind, path, <place>, sites: [<place>]. */
import { closed, documentFields, joinFields, pointFields } from "../spelling.js";
import { none, required, type ShapeFacts, symbolName } from "./facts.js";

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
        required({
          sites: { type: "array", items: closed(pointFields(dialect)) },
        }),
      ),
    ),
  beside: () => none,
};
