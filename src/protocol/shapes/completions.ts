/** What may be written at a place: label, kind, detail?, documentation?, insert?, deprecated?; beside them prefix, incomplete. */
import { closed, joinFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

/** The facts of `completions`. */
export const completionsFacts: ShapeFacts = {
  description: "What may be written at a place, the server's first choice first.",
  list: "completions",
  counted: true,
  // The server's own sort texts order them; they are not worth an agent's attention.
  order: [],
  item: () =>
    closed(
      joinFields(
        required({ label: text, kind: text }),
        optional({ detail: text, documentation: text, insert: text, deprecated: { const: true } }),
      ),
    ),
  beside: () => required({ prefix: text, incomplete: { type: "boolean" } }),
};
