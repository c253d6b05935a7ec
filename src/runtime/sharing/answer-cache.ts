/**
 * Answers that are still true. One is given again only when nothing changed from before its question until now: no file
 * changed, no server started, ended or said anything, and the files it shows are as they were. What changes unseen (outside the roots, ignored) is bounded by a short life.
 */
import { factsOf } from "../../base/facts.js";
import { messageText } from "../../base/spelt.js";
import { TextRing, type Written } from "../../base/text-ring.js";
import type { PoolMark } from "../../lsp/types.js";
import { digestMs } from "./digest.js";

const lifeMs = 5000;
const mostFiles = 200;

type Mark = Pick<PoolMark, "files" | "all">;

interface Kept {
  /** The answer as JSON: a third of what its tables and texts would take, and nothing of what they were cut from. */
  text: Written;
  mark: string;
  files: readonly string[];
  /** Of each file, in this order. */
  stamps: readonly number[];
  bytes: number;
  until: number;
}

/** The kept answers of one runtime, plain JSON each, the oldest first. */
export class AnswerCache<T extends object> {
  readonly #kept = new Map<string, Kept>();
  readonly #texts: TextRing;
  #bytes = 0;
  /** Whether any was ever kept for its owner alone. */
  #isOwned = false;
  #files: string | undefined;
  /** The mark of all that is kept. */
  #mark: string | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly mostBytes: number,
    private readonly now: () => number = Date.now,
  ) {
    this.#texts = new TextRing(mostBytes, mostBytes / 4);
  }

  /** How much is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer to a question asked before, the owner's own or that for all, if it is still true at this mark. */
  get(question: string, mark: Mark, owner?: string): T | undefined {
    this.#note(mark);
    if (owner !== undefined && !this.#isOwned) return undefined;
    const key = keyOf(question, owner);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const isTrue = kept.mark === mark.all && this.now() < kept.until && areSame(kept);
    const text = isTrue ? this.#texts.get(kept.text) : undefined;
    if (text !== undefined) return JSON.parse(text) as T;
    this.#drop(key);
    return undefined;
  }

  /** Whether there is an answer for all, or for this one, be it still true or not. */
  has(question: string, asker: string): boolean {
    return this.#kept.has(question) || (this.#isOwned && this.#kept.has(keyOf(question, asker)));
  }

  /** Keeps an answer that shows these files, for all or for its owner; not when one of them changed after the question was asked. */
  put(
    question: string,
    mark: Mark,
    answer: T,
    files: readonly string[],
    askedAt: number,
    owner?: string,
  ): void {
    const key = keyOf(question, owner);
    // What was seen meanwhile is newer than the mark of this answer.
    this.#files ??= mark.files;
    if (this.#files !== mark.files || this.now() < this.#changedAt + digestMs) return;
    const keyBytes = Buffer.byteLength(key);
    if (keyBytes > this.mostBytes / 4 || files.length > mostFiles) return;
    const stamps = stampsOf(files);
    // Clocks of file systems are coarse: what changed just before may have changed just after.
    if (stamps.some((fact, at) => at % FACTS === 0 && fact > askedAt - 20)) return;
    this.#drop(key);
    this.#forget(mark);
    const [oldest] = this.#kept.values();
    const text = this.#texts.put(messageText(answer), oldest?.text);
    if (text === undefined) return;
    const bytes = text.bytes + keyBytes;
    this.#isOwned ||= owner !== undefined;
    this.#kept.set(key, { text, mark: mark.all, files, stamps, bytes, until: this.now() + lifeMs });
    this.#bytes += bytes;
    for (const [other, { text }] of this.#kept) {
      if (this.#bytes <= this.mostBytes && this.#texts.has(text)) break;
      this.#drop(other);
    }
  }

  /** Sees when files changed while servers ran. */
  #note({ files }: Mark): void {
    if (this.#files !== undefined && this.#files !== files) this.#changedAt = this.now();
    this.#files = files;
  }

  /** Drops what will never be given again: something has happened since, or its time is over. */
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
    if (this.#kept.size === 0) this.#texts.clear();
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
  }
}

function keyOf(question: string, owner: string | undefined): string {
  return owner === undefined ? question : `${owner} ${question}`;
}

function areSame({ files, stamps }: Kept): boolean {
  const now = stampsOf(files);
  return stamps.every((fact, at) => now[at] === fact);
}

/** Numbers for each file. */
const FACTS = 3;

/** When each file changed, its size, and which one it is. */
function stampsOf(files: readonly string[]): number[] {
  const stamps: number[] = [];
  for (const file of files) {
    const facts = factsOf(file);
    stamps.push(facts?.mtimeMs ?? -1, facts?.size ?? -1, facts?.ino ?? -1);
  }
  return stamps;
}
