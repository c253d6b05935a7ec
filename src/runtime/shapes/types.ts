/** Types above or below a type, each once, whichever item of the hierarchy led to it. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, kindWord, type LspRange, listOf } from "../lsp-values.js";
import { byFile, placeText, table, textOf } from "./rendered.js";
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
        const raw = readType(server, entry);
        const item = await spell(call, server, raw);
        if (item === undefined) call.evidence.drop(raw);
        else items.push(item);
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

interface RawType {
  name: string;
  kind: string;
  uri: string;
  selection: LspRange;
  detail: string;
}

function readType(server: LanguageServer, entry: unknown): RawType {
  if (!isTable(entry) || typeof entry.name !== "string" || typeof entry.uri !== "string")
    throw garbled(server, what);
  const selection = entry.selectionRange ?? entry.range;
  if (!isRange(selection)) throw garbled(server, what);
  const detail = typeof entry.detail === "string" ? entry.detail : "";
  return { name: entry.name, kind: kindWord(entry.kind), uri: entry.uri, selection, detail };
}

async function spell(call: CallState, server: LanguageServer, raw: RawType): Promise<JsonObject | undefined> {
  const admitted = call.places.show(raw.uri);
  if (admitted === undefined) return undefined;
  const item: JsonObject = {
    name: call.places.name(raw.name),
    kind: raw.kind,
    ...call.places.document(admitted),
    ...(await call.places.point(server, raw.uri, raw.selection.start)),
  };
  return raw.detail === "" ? item : { ...item, detail: call.places.name(raw.detail) };
}
