/**
 * Bytes between their coming and their reading. A large message is gathered in memory of its own size, so that it is there
 * once, and what is left over from a buffer does not keep the buffer alive.
 */

/** From this size on memory is set aside for a message before all of it is there. */
const LARGE = 256 * 1024;
/** So much before the last bytes is looked at by whoever searches across the border of two chunks. */
const TAIL = 64;

export class Inbox {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Memory for a large message, and how much of it is filled. The chunks come after it. */
  #large: Buffer | undefined;
  #filled = 0;

  get size(): number {
    return this.#filled + this.#size;
  }

  /** Whether something came after a large message that is whole: it is taken next. */
  get isSplit(): boolean {
    return this.#large !== undefined && this.#chunks.length > 0;
  }

  /** The last bytes, as far as they came together. */
  get tail(): Buffer | undefined {
    return this.#chunks.at(-1) ?? this.#large?.subarray(Math.max(0, this.#filled - TAIL), this.#filled);
  }

  add(chunk: Buffer): void {
    const rest = this.#large === undefined ? chunk : this.#fill(this.#large, chunk);
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#size += rest.length;
  }

  /** Takes what a large message has room for; gives the rest. */
  #fill(large: Buffer, chunk: Buffer): Buffer {
    const fitting = chunk.subarray(0, large.length - this.#filled);
    large.set(fitting, this.#filled);
    this.#filled += fitting.length;
    return chunk.subarray(fitting.length);
  }

  /** All bytes in one piece; of a large message that is whole, only these. */
  take(): Buffer {
    if (this.#large !== undefined) {
      const large = this.#large.subarray(0, this.#filled);
      this.#large = undefined;
      this.#filled = 0;
      return large;
    }
    const [only] = this.#chunks;
    const all = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    return all;
  }

  /** Puts back what was not used of a buffer, before all else, when the next message needs so many bytes. */
  putBack(rest: Buffer, wanted: number): void {
    const others = this.#chunks;
    this.#chunks = [];
    this.#size = 0;
    if (wanted >= LARGE && wanted > rest.length) this.#large = Buffer.allocUnsafeSlow(wanted);
    const isPart = rest.length > 0 && 2 * rest.length < rest.buffer.byteLength;
    for (const chunk of [isPart && this.#large === undefined ? Buffer.from(rest) : rest, ...others])
      if (chunk.length > 0) this.add(chunk);
  }
}
