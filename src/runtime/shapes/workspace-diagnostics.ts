/** Diagnostics of the whole workspace, file by file; what one file has more than the cap is counted, not shown. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import type { ReplyData } from "../ask/reply.js";
import type { CallState } from "../call-state.js";
import { collect } from "../listing/collect.js";
import type { Row } from "../listing/row.js";
import { FileList } from "../listing/row-list.js";
import { garbled, listOf } from "../lsp-values.js";
import { besideOf, diagnosticKind, doubt, messageLines, readDiagnostic, statusLine } from "./diagnostics.js";
import type { Shape } from "./shape.js";
import { fileOf, rangeText, table } from "./spelt.js";

const what = "the diagnostics of a workspace";
const mostInFile = 200;

/** The shape `workspace_diagnostics`. */
export const workspaceDiagnostics: Shape = {
  nouns: ["file with diagnostics", "files with diagnostics"],
  async normalize(reply, call) {
    const kind = diagnosticKind(() => ({}));
    const rows = await collect(call, kind, diagnosticsIn(reply, call), { dropped: "files" });
    if (rows.files.some(({ length }) => length > mostInFile)) {
      call.evidence.cut();
      call.evidence.warn(
        "answer/truncated",
        `Of a file at most ${mostInFile} diagnostics are shown, and one has more; ask about that file itself.`,
      );
    }
    const list = new FileList(rows, mostInFile, ({ admitted, length }, first, places) => ({
      ...places.document(admitted),
      total: length,
      diagnostics: first,
    }));
    return { list, beside: besideOf(reply, list.length) };
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

function* diagnosticsIn(reply: ReplyData, call: CallState): Iterable<Row<JsonObject>> {
  for (const { server, value } of reply.parts) {
    for (const file of listOf(value)) {
      if (server === undefined || !isTable(file) || typeof file.uri !== "string") throw garbled(server, what);
      for (const entry of listOf(file.items)) yield readDiagnostic(call, server, file.uri, entry);
    }
  }
}
