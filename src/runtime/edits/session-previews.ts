/**
 * Previews of a session that can still be applied, and the edits that it has made. A token is bound to the tool and the
 * arguments that produced it.
 */
import { LRUCache } from "lru-cache";
import { Refusal } from "../../base/problem.js";
import type { Readiness } from "../../lsp/types.js";
import type { Preview } from "../../workspace/edits/types.js";
import type { ProposedEdit } from "./proposed-edit.js";

/** A preview as it was shown, with what is needed to apply it. */
export interface ShownPreview {
  edit: ProposedEdit;
  preview: Preview;
  /** The readiness of the servers that made it; undefined when none was asked. */
  readiness: Readiness | undefined;
}

export const LIFETIME_MS = 30 * 60_000;
const MAX_SESSION_PREVIEWS = 100;
const MAX_SESSION_BYTES = 64 << 20;

/** The previews of one session; the oldest are dropped first. */
export class SessionPreviews {
  readonly #previews: LRUCache<string, ShownPreview & { binding: string }>;
  /** The tokens that undo the session's edits. */
  readonly applied = new Set<string>();

  constructor(maxBytes = MAX_SESSION_BYTES) {
    this.#previews = new LRUCache({
      max: MAX_SESSION_PREVIEWS,
      ttl: LIFETIME_MS,
      maxSize: maxBytes,
      // One large preview is always kept.
      sizeCalculation: ({ preview }) => Math.min(sizeOf(preview), maxBytes),
    });
  }

  keep(binding: string, shown: ShownPreview): void {
    this.#previews.set(`${shown.preview.token}\n${binding}`, { ...shown, binding });
  }

  /** The preview of a token; without a binding, the newest one of any call. */
  find(token: string, binding: string | undefined): ShownPreview {
    const found = [...this.#previews.values()].find(
      (one) => one.preview.token === token && (binding === undefined || one.binding === binding),
    );
    const message = "No recent preview with this tool and these arguments has this edit_token.";
    if (found === undefined) throw new Refusal("edit/unknown-token", message);
    return found;
  }

  drop(token: string): void {
    for (const [key, { preview }] of [...this.#previews.entries()])
      if (preview.token === token) this.#previews.delete(key);
  }
}

/** An estimate: up to two bytes per UTF-16 code unit, and some for each text and operation. */
function sizeOf({ files, operations }: Preview): number {
  const texts = files.flatMap(({ before, diff, changes }) => [
    before ?? "",
    diff,
    ...changes.map(({ newText }) => newText),
  ]);
  return texts.reduce((sum, text) => sum + 200 + 2 * text.length, 500 * (operations.length + 1));
}
