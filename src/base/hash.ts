/** SHA-256 of texts and bytes: bare hex, or `sha256-<hex>` for bundles, pins and locks. */
import { createHash } from "node:crypto";

/** SHA-256 of text or bytes, as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** SHA-256 as a self-describing digest, `sha256-<hex>`. */
export function digest(content: string | Uint8Array): string {
  return `sha256-${sha256(content)}`;
}
