/** Diagnostics of the whole workspace, file by file; what one file has more than the cap is counted, not shown. */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { itemKey } from "../../protocol/item-order.js";
import { diagnosticsFacts } from "../../protocol/shapes/diagnostics.js";
import type { Admitted } from "../../workspace/types.js";
import { garbled, listOf } from "../lsp-values.js";
import { besideOf, doubt, messageLines, spellDiagnostic, statusLine } from "./diagnostics.js";
import type { Shape } from "./shape.js";
import { fileOf, rangeText, table } from "./spelt.js";

const what = "the diagnostics of a workspace";
const mostInFile = 200;

/** The shape `workspace_diagnostics`. */
export const workspaceDiagnostics: Shape = {
  nouns: ["file with diagnostics", "files with diagnostics"],
  async normalize(reply, call) {
    const found = new Map<string, { admitted: Admitted; items: JsonObject[] }>();
    for (const { server, value } of reply.parts) {
      for (const file of listOf(value)) {
        if (server === undefined || !isTable(file) || typeof file.uri !== "string")
          throw garbled(server, what);
        const admitted = await call.places.show(file.uri);
        if (admitted === undefined) {
          call.evidence.drop(file.uri);
          continue;
        }
        const known = found.get(admitted.path) ?? { admitted, items: [] };
        found.set(admitted.path, known);
        for (const entry of listOf(file.items))
          known.items.push(await spellDiagnostic(call, server, admitted.uri, entry));
      }
    }
    const { dialect } = call.plan;
    const files = [...found.values()].filter(({ items }) => items.length > 0);
    const items = files.map(({ admitted, items: all }): Json => {
      const unique = uniqueBy(all, canonicalText);
      const ordered = sortBy(unique, (item) => [
        ...itemKey(diagnosticsFacts, item, dialect),
        canonicalText(item),
      ]);
      if (ordered.length > mostInFile) {
        call.evidence.cut();
        call.evidence.warn(
          "answer/truncated",
          `Of a file at most ${mostInFile} diagnostics are shown, and one has more; ask about that file itself.`,
        );
      }
      return {
        ...call.places.document(admitted),
        total: ordered.length,
        diagnostics: ordered.slice(0, mostInFile),
      };
    });
    return { items, beside: besideOf(reply, items.length) };
  },
  shorten: (items, beside, characters) => ({
    items: items.map((item): Json => {
      const { diagnostics, ...rest } = table(item);
      let room = characters;
      const kept = (Array.isArray(diagnostics) ? diagnostics : []).filter((entry) => {
        room -= JSON.stringify(entry).length;
        return room > 0;
      });
      return { ...rest, diagnostics: kept };
    }),
    beside,
  }),
  text: (items, beside, dialect) => [
    statusLine(beside),
    ...items.flatMap((item) => {
      const { total, diagnostics } = table(item);
      const shown = Array.isArray(diagnostics) ? diagnostics : [];
      const cut = Number(total) > shown.length ? ` (${shown.length} of ${total} shown)` : "";
      return [
        `${fileOf(item, dialect)}${cut}`,
        ...shown
          .flatMap((entry) => messageLines(entry, rangeText(entry, dialect)))
          .map((line) => `  ${line}`),
      ];
    }),
  ],
  doubt,
};
