/** Supertypes or subtypes of a type, without duplicates. */
import type { Json } from "../../base/json.js";
import { byFile, placeText, table, textOf } from "../answer/answer-text.js";
import { garbled, listOf } from "../ask/candidates.js";
import { readHierarchyItem, renderHierarchyItem } from "./hierarchy-item.js";
import type { Shape } from "./shape.js";

const what = "a list of types";

/** The shape `types`. */
export const types: Shape = {
  nouns: ["type", "types"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined) throw garbled(server, what);
      for (const entry of listOf(value)) {
        const raw = readHierarchyItem(server, entry, what);
        const item = await renderHierarchyItem(call, server, raw);
        if (item === undefined) call.evidence.drop(raw);
        else items.push(raw.detail === "" ? item : { ...item, detail: call.places.name(raw.detail) });
      }
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => {
      const { name, kind, detail } = table(item);
      const more = detail === undefined ? "" : `  ${textOf(detail)}`;
      return [`${placeText(item, dialect)}  ${textOf(kind)} ${textOf(name)}${more}`];
    }),
};
