/** Diagnostics of the whole workspace by file. Of each file a limited number is shown and all are counted. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { fileOf, rangeText, table } from "../answer/answer-text.js";
import { garbled, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect, type RawItem } from "../listing/collect.js";
import { FileList } from "../listing/list.js";
import {
  besideOf,
  diagnosticKind,
  messageLines,
  readDiagnostic,
  statusLine,
  unknownStatus,
} from "./diagnostics.js";
import type { Shape } from "./shape.js";

const what = "the diagnostics of a workspace";
const MAX_IN_FILE = 200;

/** The shape `workspace_diagnostics`. */
export const workspaceDiagnostics: Shape = {
  nouns: ["file with diagnostics", "files with diagnostics"],
  async normalize(reply, call) {
    const kind = diagnosticKind(() => ({}));
    const files = await collect(call, kind, diagnosticsIn(reply, call), { dropped: "files" });
    if (files.some(({ items }) => items.length > MAX_IN_FILE)) {
      call.evidence.cut();
      call.evidence.warn(
        "answer/truncated",
        `Of a file at most ${MAX_IN_FILE} diagnostics are shown, and one has more; ask about that file itself.`,
      );
    }
    const list = new FileList(kind, files, MAX_IN_FILE, ({ admitted, items }, first, places) => ({
      ...places.document(admitted),
      total: items.length,
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
  unknown: unknownStatus,
};

function* diagnosticsIn(reply: ReplyData, call: CallState): Iterable<RawItem<JsonObject>> {
  for (const { server, value } of reply.parts) {
    for (const file of listOf(value)) {
      if (server === undefined || !isTable(file) || typeof file.uri !== "string") throw garbled(server, what);
      for (const entry of listOf(file.items)) yield readDiagnostic(call, server, file.uri, entry);
    }
  }
}
