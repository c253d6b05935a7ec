/**
 * Texts of files that answers showed places in, or that were open, kept as long as they fit: the next answer is often about the
 * same files.
 */
import { realpathSync } from "node:fs";
import { type Cuts, Lines } from "../../base/text.js";
import { TextRing, type Written } from "../../base/text-ring.js";
import { type FileText, stampOf } from "./file.js";

/** Bytes of all of them, about. */
const MOST_BYTES = 1024 * 1024;
const BYTES_PER_LINE = 4;
/** What it takes to remember of a line that it is not ASCII. */
const BYTES_PER_ODD_LINE = 32;
/** Its path, hash, stamp and tables. */
const BYTES_PER_TEXT = 512;

interface Known extends Omit<FileText, "lines"> {
  text: Written;
  cuts: Cuts;
  bytes: number;
}

export class KnownTexts {
  /** By path, as they stand in the ring. */
  readonly #known = new Map<string, Known>();
  readonly #ring: TextRing;
  #bytes = 0;

  constructor(private readonly mostBytes: number = MOST_BYTES) {
    this.#ring = new TextRing(mostBytes, mostBytes / 4);
  }

  /** The text of a file, if it is known and the file is as it was. It is one of the last to go from then on. */
  get(path: string): Lines | undefined {
    const known = this.#known.get(path);
    const text = this.#textOf(path);
    if (known !== undefined && text !== undefined && this.#ring.isOld(known.text)) this.put(path, text);
    return text?.lines;
  }

  /** The same for whoever keeps it from now on, if its path is still its real one: a folder may be a link to where it was moved. */
  take(path: string): FileText | undefined {
    const text = this.#textOf(path);
    this.#drop(path);
    return text !== undefined && isRealPath(path) ? text : undefined;
  }

  #textOf(path: string): FileText | undefined {
    const known = this.#known.get(path);
    if (known === undefined || stampOf(path)?.text !== known.stamp.text) return undefined;
    const { hash, stamp, cuts } = known;
    const text = this.#ring.get(known.text);
    return text === undefined ? undefined : { hash, stamp, lines: new Lines(text, cuts) };
  }

  /** What was read of a file, or that nothing could be. */
  put(path: string, read: FileText | undefined): void {
    this.#drop(path);
    // One that may have changed since is never given.
    if (!read?.stamp.solid) return;
    const { hash, stamp, lines } = read;
    const { cuts, count, oddCount } = lines;
    const besides = BYTES_PER_TEXT + count * BYTES_PER_LINE + oddCount * BYTES_PER_ODD_LINE;
    // What has no room beside others would drive all of them out, and not be there itself.
    const text = besides > this.mostBytes / 4 ? undefined : this.#ring.put(lines.text);
    if (text === undefined) return;
    const bytes = text.bytes + besides;
    this.#known.set(path, { hash, stamp, text, cuts, bytes });
    this.#bytes += bytes;
    for (const [oldest, { text }] of this.#known) {
      if (this.#bytes <= this.mostBytes && this.#ring.has(text)) return;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    const known = this.#known.get(path);
    if (known === undefined) return;
    this.#known.delete(path);
    this.#bytes -= known.bytes;
  }
}

function isRealPath(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch {
    return false;
  }
}
