/**
 * Answers that are still true. One is given again only when nothing changed from before its question until now: no file
 * changed, no server started, ended or said anything, and the files it shows are as they were. What changes unseen (outside the roots, ignored) is bounded by a short life.
 */
import { factsOf } from "../../base/facts.js";
import { messageText } from "../../base/spelt.js";
import type { PoolMark } from "../../lsp/types.js";
import { digestMs } from "./digest.js";

const lifeMs = 5000;
const mostFiles = 200;

type Mark = Pick<PoolMark, "files" | "all">;

interface Kept {
  /** The answer as JSON: a third of what its tables and texts would take, and nothing of what they were cut from. */
  text: string;
  mark: string;
  files: Map<string, string>;
  bytes: number;
  until: number;
}

/** The kept answers of one runtime, plain JSON each, the least recently used first. */
export class AnswerCache<T extends object> {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #files: string | undefined;
  /** The mark of all that is kept. */
  #mark: string | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly mostBytes: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** How much is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer to a question asked before, if it is still true at this mark. */
  get(key: string, mark: Mark): T | undefined {
    this.#note(mark);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const isTrue = kept.mark === mark.all && this.now() < kept.until && areSame(kept.files);
    this.#drop(key);
    if (!isTrue) return undefined;
    this.#add(key, kept);
    return JSON.parse(kept.text) as T;
  }

  /** Whether there is an answer, be it still true or not. */
  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Keeps an answer that shows these files; not when one of them changed after the question was asked. */
  put(key: string, mark: Mark, answer: T, files: readonly string[], askedAt: number): void {
    // What was seen meanwhile is newer than the mark of this answer.
    this.#files ??= mark.files;
    if (this.#files !== mark.files || this.now() < this.#changedAt + digestMs) return;
    const text = messageText(answer);
    const bytes = Buffer.byteLength(text) + Buffer.byteLength(key);
    if (bytes > this.mostBytes / 4 || files.length > mostFiles) return;
    const stamps = new Map<string, string>();
    for (const file of files) {
      const { text: stamp, changedAt } = stampOf(file);
      // Clocks of file systems are coarse: what changed just before may have changed just after.
      if (changedAt > askedAt - 20) return;
      stamps.set(file, stamp);
    }
    this.#drop(key);
    this.#forget(mark);
    this.#add(key, { text, mark: mark.all, files: stamps, bytes, until: this.now() + lifeMs });
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.mostBytes) break;
      this.#drop(oldest);
    }
  }

  /** Sees when files changed while servers ran. */
  #note({ files }: Mark): void {
    if (this.#files !== undefined && this.#files !== files) this.#changedAt = this.now();
    this.#files = files;
  }

  /**
   * Drops what will never be given again: something has happened since, or its time is over. Those that were used lately stand
   * behind younger ones, and go when they come to the front.
   */
  #forget({ all }: Mark): void {
    if (this.#mark !== all) {
      this.#kept.clear();
      this.#bytes = 0;
      this.#mark = all;
    }
    const now = this.now();
    for (const [key, { until }] of this.#kept) {
      if (now < until) break;
      this.#drop(key);
    }
  }

  #add(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
  }
}

function areSame(files: ReadonlyMap<string, string>): boolean {
  return [...files].every(([file, text]) => stampOf(file).text === text);
}

function stampOf(file: string): { text: string; changedAt: number } {
  const facts = factsOf(file);
  if (facts === undefined) return { text: "gone", changedAt: Number.NEGATIVE_INFINITY };
  return { text: `${facts.mtimeMs}/${facts.size}/${facts.ino}`, changedAt: facts.mtimeMs };
}
