/** What an editor would show between the characters: <place>, label, kind?, tooltip?. */
import { hintKinds } from "../kinds.js";
import { closed, joinFields, pointFields } from "../spelling.js";
import { none, optional, required, type ShapeFacts, text } from "./facts.js";

/** The facts of `inlay_hints`. */
export const inlayHintsFacts: ShapeFacts = {
  description: "Inferred types and names of parameters.",
  list: "hints",
  counted: true,
  order: ["place", "label", "kind"],
  item: (dialect) =>
    closed(
      joinFields(
        pointFields(dialect),
        required({ label: text }),
        optional({ kind: { enum: [...hintKinds] }, tooltip: text }),
      ),
    ),
  beside: () => none,
};
