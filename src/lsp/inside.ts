/** The document that a request's parameters name. */
import { isTable } from "../base/json.js";
import { pathOfUri } from "../base/paths.js";

/** The path of the document that a request's parameters name. */
export function documentOf(params: unknown): string | undefined {
  return isTable(params) && isTable(params.textDocument) ? pathOfUri(params.textDocument.uri) : undefined;
}
