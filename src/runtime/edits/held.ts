/**
 * The previews of one session that may still be applied. A token stands for the very edit that was shown, with all that
 * was known of it then; it belongs to the call that showed it.
 */
import { canonicalText, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Readiness } from "../../lsp/types.js";
import type { Preview } from "../../workspace/edits/types.js";
import type { Draft } from "./draft.js";

/** A preview as it was shown. */
export interface Held {
  draft: Draft;
  preview: Preview;
  /** How ready the servers were that made it; undefined when none was asked. */
  readiness: Readiness | undefined;
}

const lifeMs = 30 * 60_000;
const mostHeld = 100;

/** What the previews of a session may take up together; the newest is kept in any case. */
const mostBytes = 64 << 20;

export class HeldPreviews {
  readonly #held = new Map<string, Held & { binding: string; at: number; bytes: number }>();
  #bytes = 0;

  constructor(
    private readonly now: () => number = Date.now,
    private readonly most = mostBytes,
  ) {}

  keep(binding: string, held: Held): void {
    const key = keyOf(held.preview.token, binding);
    this.#drop(key);
    const bytes = sizeOf(held.preview);
    this.#held.set(key, { ...held, binding, at: this.now(), bytes });
    this.#bytes += bytes;
    for (const [old, { at }] of this.#held) {
      const isTooMuch = this.#held.size > mostHeld || this.#bytes > this.most;
      if (old !== key && (isTooMuch || this.now() - at > lifeMs)) this.#drop(old);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0;
    this.#held.delete(key);
  }

  /** The preview of a token that a call with this binding showed; without a binding, any call of this session. */
  find(token: string, binding: string | undefined): Held {
    const found = [...this.#held.values()].filter(
      ({ preview, at }) => preview.token === token && this.now() - at <= lifeMs,
    );
    const held = binding === undefined ? found.at(-1) : found.find((one) => one.binding === binding);
    if (held !== undefined) return held;
    throw new Refusal(
      "edit/unknown-token",
      found.length > 0
        ? "The preview of this edit_token was made by another tool or with other arguments."
        : "This edit_token is not known in this session, or its preview is too old.",
    );
  }

  /** What a preview is bound to. */
  static binding(tool: string, asked: JsonObject): string {
    return canonicalText([tool, asked]);
  }
}

/** What a preview takes up: each code unit two bytes at most, and each change and file some more. */
function sizeOf({ files, operations }: Preview): number {
  let bytes = operations.length * 500;
  for (const { before, diff, changes } of files) {
    bytes += 1_000 + 2 * ((before?.length ?? 0) + diff.length);
    for (const { newText } of changes) bytes += 100 + 2 * newText.length;
  }
  return bytes;
}

function keyOf(token: string, binding: string): string {
  return `${token}\n${binding}`;
}
