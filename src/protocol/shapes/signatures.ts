/** The signatures of a call: label, active, active_parameter?, documentation?, parameters: [{ label, documentation? }]. */
import { closed, joinFields } from "../spelling.js";
import { none, optional, required, type ShapeFacts, text } from "./facts.js";

const parameter = closed(joinFields(required({ label: text }), optional({ documentation: text })));

/** The facts of `signatures`. */
export const signaturesFacts: ShapeFacts = {
  description: "The signatures that fit a call, the active one first.",
  list: "signatures",
  counted: true,
  order: [],
  item: () =>
    closed(
      joinFields(
        required({
          label: text,
          active: { type: "boolean" },
          parameters: { type: "array", items: parameter },
        }),
        optional({ active_parameter: { type: "integer", minimum: 0 }, documentation: text }),
      ),
    ),
  beside: () => none,
};
