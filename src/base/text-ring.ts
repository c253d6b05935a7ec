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

  /**
   * Writes well-formed Unicode; undefined when it has too many bytes, or there is no memory. It is written over what is oldest,
   * or over what nobody needs any more, if the oldest that is needed is told.
   */
  put(text: string, oldest?: Written): Written | undefined {
    const bytes = Buffer.byteLength(text);
    const memory = bytes > this.mostBytes ? undefined : this.#taken();
    if (memory === undefined) return undefined;
    const place = this.#next % this.size;
    const isPastEnd = place + bytes > this.size;
    const at = isPastEnd || this.#isFreeBefore(oldest, bytes) ? this.#next - place + this.size : this.#next;
    memory.write(text, at % this.size, bytes);
    this.#next = at + bytes;
    return { at, bytes };
  }

  #taken(): Buffer | undefined {
    try {
      this.#memory ??= this.size > 0 ? Buffer.allocUnsafeSlow(this.size) : undefined;
    } catch {
      // There may be, later.
    }
    return this.#memory;
  }

  /** Whether as much is free before the oldest text as it and all others take: when that is full, they will not be needed either. */
  #isFreeBefore(oldest: Written | undefined, bytes: number): boolean {
    if (oldest === undefined) return false;
    const place = this.#next % this.size;
    const free = oldest.at - (this.#next - place);
    return free >= bytes && free >= place - free;
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
