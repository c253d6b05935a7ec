/** What a `WorkspaceEdit` touches, in both of its forms; `documentChanges` win over `changes`, never both. */
import { isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { listOf } from "./lsp-values.js";

/** The files that an edit touches, and the number of single edits and file operations in it. */
export function editedUris(edit: Record<string, unknown>): { uris: string[]; count: number } {
  const uris: string[] = [];
  let count = 0;
  if (Array.isArray(edit.documentChanges)) {
    for (const change of edit.documentChanges) {
      const { textDocument, edits, uri, oldUri, newUri } = isTable(change) ? change : {};
      uris.push(
        ...[isTable(textDocument) ? textDocument.uri : undefined, uri, oldUri, newUri].filter(isText),
      );
      count += edits === undefined ? 1 : listOf(edits).length;
    }
  } else if (isTable(edit.changes)) {
    for (const [uri, edits] of Object.entries(edit.changes)) {
      uris.push(uri);
      count += listOf(edits).length;
    }
  }
  return { uris: sortedSet(uris), count };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
