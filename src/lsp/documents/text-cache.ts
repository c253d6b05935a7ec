/** Texts of files that are not open, which answers show places in: the next answer is often about the same files. */
import { LRUCache } from "lru-cache";
import { stampOf } from "../../base/file-stamp.js";
import type { FileText } from "./read-text.js";

const MAX_BYTES = 4 * 1024 * 1024;
/** What a text takes besides its characters, for each line and for itself. */
const BYTES_PER_LINE = 16;
const BYTES_PER_TEXT = 512;

export class TextCache {
  readonly #texts = new LRUCache<string, FileText>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES / 4,
    sizeCalculation: ({ lines }) => 2 * lines.text.length + BYTES_PER_LINE * lines.count + BYTES_PER_TEXT,
  });

  /** The text of a file, if it is cached and the file has not changed. */
  get(path: string): FileText | undefined {
    const cached = this.#texts.get(path);
    return cached !== undefined && stampOf(path)?.text === cached.stamp.text ? cached : undefined;
  }

  /** Keeps a text, unless its file may have been written again in the same clock tick. */
  put(path: string, text: FileText): void {
    if (text.isReliable) this.#texts.set(path, text);
    else this.#texts.delete(path);
  }
}
