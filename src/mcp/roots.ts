/** The roots that clients tell, in either era of the protocol. */
import { isTable } from "../base/json.js";

/** The roots that a client told. One that is no folder of this machine leaves those that are; what is no list is none. */
export function urisOf(roots: unknown): string[] {
  if (!Array.isArray(roots)) throw new TypeError("no list of roots");
  return roots.flatMap((root) => (isTable(root) && typeof root.uri === "string" ? [root.uri] : []));
}
