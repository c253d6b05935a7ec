/** Ranges as numbers side by side: little room, and nothing that is searched for garbage. */
import type { LspPosition, LspRange } from "../lsp-values.js";
import { none } from "./row.js";

const parts = 4;

/** Ranges, four numbers each; one that is not there has `none`. */
export class Spans {
  constructor(readonly numbers: Uint32Array) {}

  /** Room for so many. */
  static of(length: number): Spans {
    return new Spans(new Uint32Array(parts * length));
  }

  at(index: number): LspRange | undefined {
    const number = (part: number) => this.numbers[parts * index + part] ?? none;
    if (number(0) === none) return undefined;
    return {
      start: { line: number(0), character: number(1) },
      end: { line: number(2), character: number(3) },
    };
  }

  put(index: number, range: LspRange | undefined): void {
    this.#put(parts * index, range?.start);
    this.#put(parts * index + 2, range?.end);
  }

  #put(at: number, position: LspPosition | undefined): void {
    this.numbers[at] = kept(position?.line);
    this.numbers[at + 1] = kept(position?.character);
  }

  /** Takes one over from others. */
  copy(index: number, others: Spans, from: number): void {
    for (let part = 0; part < parts; part++)
      this.numbers[parts * index + part] = others.numbers[parts * from + part] ?? none;
  }

  /** The same with room for so many. */
  grown(length: number): Spans {
    const grown = Spans.of(length);
    grown.numbers.set(this.numbers);
    return grown;
  }

  /** By the four numbers; what is not there is the last. */
  compare(a: number, b: number): number {
    for (let part = 0; part < parts; part++) {
      const order = (this.numbers[parts * a + part] ?? 0) - (this.numbers[parts * b + part] ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  }

  slice(from: number, to: number): Spans {
    return new Spans(this.numbers.slice(parts * from, parts * to));
  }

  /** Whether the first of others are the same. */
  equals({ numbers }: Spans, length: number): boolean {
    const end = parts * length;
    return bytesOf(this.numbers.subarray(0, end)).equals(bytesOf(numbers.subarray(0, end)));
  }
}

/** A number of a position as it is kept: LSP's own are smaller than what stands for none. */
function kept(number: number | undefined): number {
  return number === undefined ? none : Math.min(number, none - 1);
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
