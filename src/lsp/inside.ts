/** Path containment and spelling, by text: callers pass real paths. */
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { plainPath } from "../base/file-uri.js";
import { isTable } from "../base/json.js";

/** Whether a path is a folder or lies in it. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path with forward slashes. */
export function slashed(path: string): string {
  return sep === "/" ? path : path.split(sep).join("/");
}

/** The path of a `file:` URI however it is escaped, or undefined. Servers spell the same URI differently. */
export function pathOfUri(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !uri.startsWith("file:")) return undefined;
  try {
    return plainPath(uri) ?? fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** The path of the document that a request's parameters name. */
export function documentOf(params: unknown): string | undefined {
  return isTable(params) && isTable(params.textDocument) ? pathOfUri(params.textDocument.uri) : undefined;
}
