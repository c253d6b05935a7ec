/** Content hashes: the hex form for files an agent edits, the `sha256-` form for bundles and pins. */
import crypto from "node:crypto";

/** From Node 20.12 on; it makes no stream for a text of a few words. */
const inOneGo: typeof crypto.hash | undefined = crypto.hash;

/** SHA-256 of text or bytes, as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  if (inOneGo !== undefined) return inOneGo("sha256", content, "hex");
  return crypto.createHash("sha256").update(content).digest("hex");
}

/** SHA-256 as a self-describing digest, `sha256-<hex>`. */
export function digest(content: string | Uint8Array): string {
  return `sha256-${sha256(content)}`;
}
