/** Ranges as numbers side by side: little room, and nothing that is searched for garbage. */
import type { LspRange } from "../lsp-values.js";
import { none } from "./row.js";

const parts = 4;

/** Ranges, four numbers each; one that is not there has `none`. */
export class Spans {
  private constructor(private readonly numbers: Uint32Array) {}

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
    if (range === undefined) this.numbers.fill(none, parts * index, parts * (index + 1));
    else this.set(index, range.start.line, range.start.character, range.end.line, range.end.character);
  }

  set(index: number, line: number, character: number, endLine: number, endCharacter: number): void {
    const { numbers } = this;
    const at = parts * index;
    numbers[at] = kept(line);
    numbers[at + 1] = kept(character);
    numbers[at + 2] = kept(endLine);
    numbers[at + 3] = kept(endCharacter);
  }

  /** Whether a range is the one at a place. */
  isAt(index: number, range: LspRange | undefined): boolean {
    const { numbers } = this;
    const at = parts * index;
    if (range === undefined) return numbers[at] === none;
    const { start, end } = range;
    return (
      numbers[at] === kept(start.line) &&
      numbers[at + 1] === kept(start.character) &&
      numbers[at + 2] === kept(end.line) &&
      numbers[at + 3] === kept(end.character)
    );
  }

  /** Takes one over from others. */
  copy(index: number, others: Spans, from: number): void {
    const { numbers: own } = this;
    const { numbers: its } = others;
    const [to, at] = [parts * index, parts * from];
    own[to] = its[at] ?? none;
    own[to + 1] = its[at + 1] ?? none;
    own[to + 2] = its[at + 2] ?? none;
    own[to + 3] = its[at + 3] ?? none;
  }

  /** The same with room for so many. */
  grown(length: number): Spans {
    const grown = Spans.of(length);
    grown.numbers.set(this.numbers);
    return grown;
  }

  /** By the four numbers; what is not there is the last. */
  compare(a: number, b: number): number {
    const { numbers } = this;
    const [i, j] = [parts * a, parts * b];
    return (
      (numbers[i] ?? none) - (numbers[j] ?? none) ||
      (numbers[i + 1] ?? none) - (numbers[j + 1] ?? none) ||
      (numbers[i + 2] ?? none) - (numbers[j + 2] ?? none) ||
      (numbers[i + 3] ?? none) - (numbers[j + 3] ?? none)
    );
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
function kept(number: number): number {
  return number < none ? number : none - 1;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
