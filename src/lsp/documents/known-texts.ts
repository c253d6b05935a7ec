/** Texts of files that answers showed places in, kept as long as they fit: the next answer is often about the same files. */
import type { Lines } from "../../base/text.js";
import { type FileText, stampOf } from "./file.js";

/** Bytes of all of them, about. */
const MOST_BYTES = 2 * 1024 * 1024;
const BYTES_PER_LINE = 4;
/** What it takes to remember of a line that it is not ASCII. */
const BYTES_PER_ODD_LINE = 32;
/** Its path, hash, stamp and tables. */
const BYTES_PER_TEXT = 512;

export class KnownTexts {
  /** By path, the least recently used first. */
  readonly #texts = new Map<string, FileText>();
  #bytes = 0;

  constructor(private readonly mostBytes: number = MOST_BYTES) {}

  /** The text of a file, if it is known and the file is as it was. */
  get(path: string): Lines | undefined {
    const known = this.#texts.get(path);
    if (known === undefined) return undefined;
    if (!known.stamp.solid || stampOf(path)?.text !== known.stamp.text) return undefined;
    this.#texts.delete(path);
    this.#texts.set(path, known);
    return known.lines;
  }

  /** What was read of a file, or that nothing could be. */
  put(path: string, text: FileText | undefined): void {
    this.#drop(path);
    // What has no room beside others would drive all of them out, and not be there itself.
    if (text === undefined || bytesOf(text) > this.mostBytes / 4) return;
    this.#texts.set(path, text);
    this.#bytes += bytesOf(text);
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    const known = this.#texts.get(path);
    if (known === undefined) return;
    this.#texts.delete(path);
    this.#bytes -= bytesOf(known);
  }
}

/** V8 has one byte for a character where all of a text are Latin, and two elsewhere. */
function bytesOf({ lines }: FileText): number {
  const { text, count, oddCount } = lines;
  const bytesPerUnit = oddCount === 0 ? 1 : 2;
  return BYTES_PER_TEXT + text.length * bytesPerUnit + count * BYTES_PER_LINE + oddCount * BYTES_PER_ODD_LINE;
}
