/** Reads and renders the items of call and type hierarchies, which LSP gives the same form. */
import { isTable, type JsonObject } from "../../base/json.js";
import type { LanguageServer } from "../../lsp/types.js";
import { garbled, isRange, kindWord, type LspRange } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";

/** A checked `CallHierarchyItem` or `TypeHierarchyItem`. */
export interface HierarchyItem {
  name: string;
  kind: string;
  uri: string;
  selection: LspRange;
  detail: string;
}

/** Checks an item; `what` names the reply in a refusal. */
export function readHierarchyItem(server: LanguageServer, entry: unknown, what: string): HierarchyItem {
  if (!isTable(entry) || typeof entry.name !== "string" || typeof entry.uri !== "string")
    throw garbled(server, what);
  const selection = entry.selectionRange ?? entry.range;
  if (!isRange(selection)) throw garbled(server, what);
  const detail = typeof entry.detail === "string" ? entry.detail : "";
  return { name: entry.name, kind: kindWord(entry.kind), uri: entry.uri, selection, detail };
}

/** Name, kind, file and position of an item; undefined when its file is outside the roots. */
export async function renderHierarchyItem(
  { places }: CallState,
  server: LanguageServer,
  { name, kind, uri, selection }: HierarchyItem,
): Promise<JsonObject | undefined> {
  const admitted = places.show(uri);
  if (admitted === undefined) return undefined;
  const point = await places.point(server, uri, selection.start);
  return { name: places.name(name), kind, ...places.document(admitted), ...point };
}
