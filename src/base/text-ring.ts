/**
 * Texts that are needed for a short while, in one piece of memory of a fixed size, newer ones written over the oldest. As
 * strings V8 would move each of them twice, take it for old, and have a hole among what stays once it is gone.
 */

/** Where a text stands, counted along all that were ever written. */
export interface Written {
  readonly at: number;
  readonly bytes: number;
}

export class TextRing {
  /** Asked for when there is something to write; of what is never written to the system gives nothing. */
  #memory: Buffer | undefined;
  /** Where the next text stands, if it fits before the end. */
  #next = 0;

  constructor(
    private readonly size: number,
    private readonly mostBytes: number,
  ) {}

  /** Writes well-formed Unicode over what is oldest; undefined when it has too many bytes. */
  put(text: string): Written | undefined {
    const bytes = Buffer.byteLength(text);
    if (bytes > this.mostBytes) return undefined;
    this.#memory ??= Buffer.allocUnsafeSlow(this.size);
    const left = this.size - (this.#next % this.size);
    const at = bytes > left ? this.#next + left : this.#next;
    this.#memory.write(text, at % this.size, bytes);
    this.#next = at + bytes;
    return { at, bytes };
  }

  /** The text, unless it was written over. */
  get(written: Written): string | undefined {
    if (!this.has(written)) return undefined;
    const from = written.at % this.size;
    return this.#memory?.toString("utf8", from, from + written.bytes);
  }

  /** Whether a text has not been written over. */
  has({ at }: Written): boolean {
    return this.#next - at <= this.size;
  }

  /** Whether it will be soon: it stands in the older half. */
  isOld({ at }: Written): boolean {
    return this.#next - at > this.size / 2;
  }

  /** Forgets everything, and begins anew where something was written before. */
  clear(): void {
    if (this.#next > 0) this.#next += 2 * this.size - (this.#next % this.size);
  }
}
