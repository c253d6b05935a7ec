/** Monikers: the names of a symbol across projects. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { table, textOf } from "../answer/answer-text.js";
import { garbled, listOf } from "../ask/candidates.js";
import type { Shape } from "./shape.js";

const what = "a list of monikers";

/** The shape `monikers`. */
export const monikers: Shape = {
  nouns: ["moniker", "monikers"],
  async normalize(reply) {
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      for (const entry of listOf(value)) {
        const { scheme, identifier, unique, kind } = isTable(entry) ? entry : {};
        if (typeof scheme !== "string" || typeof identifier !== "string" || typeof unique !== "string")
          throw garbled(server, what);
        const item: JsonObject = { scheme, identifier, unique };
        items.push(typeof kind === "string" ? { ...item, kind } : item);
      }
    }
    return { items, beside: {} };
  },
  text: (items) =>
    items.map((item) => {
      const { scheme, identifier, unique, kind } = table(item);
      const role = kind === undefined ? "" : `, ${textOf(kind)}`;
      return `${textOf(scheme)} ${textOf(identifier)}  (unique in its ${textOf(unique)}${role})`;
    }),
};
