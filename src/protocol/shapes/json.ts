/** A value of any form, or of the declared schema. */
import { required, type ShapeFacts } from "./facts.js";

/** The facts of `json`. */
export const jsonFacts: ShapeFacts = {
  description: "The value as the server or the steps gave it.",
  list: null,
  counted: false,
  order: [],
  item: () => ({}),
  beside: (_dialect, output) => required({ value: output.schema ?? {} }),
};
