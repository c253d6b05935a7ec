/**
 * Pages of a listing. A cursor names a tool, its arguments, a snapshot of the sorted whole, and an offset, all by
 * content: the same question on the same files gives the same cursors. Snapshots are bounded in bytes and in time, and
 * their items are spelt page by page, so a page is told only if its files are as they were for the first one.
 */
import { sha256 } from "../../base/hash.js";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { List } from "../listing/list.js";
import type { Turns } from "../turns.js";
import type { Head } from "./head.js";
import { type Stamps, stampsOf } from "./stamps.js";

/** Everything that the pages of one listing share. */
export interface Snapshot {
  head: Head;
  beside: JsonObject;
  list: List;
  /** How many were found, when fewer than that are listed. */
  total: number;
  /** Whether more were found than are kept for paging. */
  isBounded: boolean;
  /** How the files that the listing is about stood. */
  files: Stamps;
  /** Equal while no source of the workspace has changed; undefined when that is not known. */
  sources: string | undefined;
}

/** How long and how much is kept for paging. */
export interface PageBounds {
  lifeMs: number;
  bytes: number;
  snapshotBytes: number;
}

const bounds: PageBounds = { lifeMs: 10 * 60_000, bytes: 32 * 1024 * 1024, snapshotBytes: 16 * 1024 * 1024 };
/** Files that are looked at before each page besides its own; where the sources are watched, few will do. */
const mostLooks = { watched: 256, unwatched: 2000 };
const bytesPerFile = 200;
const cursorVersion = 1;

interface Kept {
  binding: string;
  /** Null once the same question was asked again after a change: all that its cursors can be told is that they are stale. */
  snapshot: Snapshot | null;
  bytes: number;
  usedAt: number;
}

/** The listings of one session. */
export class Pages {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  /** The keys of the listings of each question. */
  readonly #asked = new Map<string, Set<string>>();
  #bytes = 0;

  constructor(
    private readonly limits: PageBounds = bounds,
    private readonly now: () => number = Date.now,
  ) {}

  /** What a cursor is bound to: the tool and the arguments that say what is listed. */
  static binding(tool: string, asked: JsonObject): string {
    return sha256(canonicalText([tool, asked])).slice(0, 16);
  }

  /** How much is held: listings, those that are only known to be stale among them, the questions that they answer, and bytes. */
  get held(): { listings: number; questions: number; bytes: number } {
    return { listings: this.#kept.size, questions: this.#asked.size, bytes: this.#bytes };
  }

  /** The most bytes that one listing may take. */
  get room(): number {
    return this.limits.snapshotBytes;
  }

  /** Keeps a listing for its further pages; gives the function that writes their cursors. */
  async keep(binding: string, snapshot: Snapshot, turns: Turns): Promise<(offset: number) => string> {
    const weight = await snapshot.list.weigh(turns);
    const text = canonicalText([snapshot.head, snapshot.beside, weight.digest]);
    const bytes = Buffer.byteLength(text) + weight.bytes + bytesPerFile * snapshot.files.size;
    if (bytes > this.limits.snapshotBytes)
      throw new Refusal("page/snapshot-too-large", "The whole listing is too large to page through.");
    const id = sha256(text).slice(0, 32);
    const key = `${binding}:${id}`;
    const before = this.#kept.get(key)?.snapshot;
    // The same listing of the same files is kept as it is: what is new may go while it is young.
    const list = before != null && isSame(before, snapshot) ? before.list : snapshot.list;
    this.#drop(key);
    this.#letGo(binding, snapshot.sources);
    this.#put(key, { binding, snapshot: { ...snapshot, list }, bytes, usedAt: this.now() });
    this.#makeRoom();
    return cursorWriter(binding, id);
  }

  /** The listing and offset of a cursor, and the check of a page's files; `sources` as they are now, where that is known. */
  async open(cursor: string, binding: string, turns: Turns, sources?: string) {
    const read = readCursor(cursor);
    if (read === undefined || read.binding !== binding)
      throw new Refusal(
        "page/cursor-invalid",
        "The cursor does not belong to this tool with these arguments.",
      );
    const key = `${binding}:${read.id}`;
    const kept = this.#kept.get(key);
    if (kept === undefined || this.now() - kept.usedAt > this.limits.lifeMs) {
      this.#drop(key);
      throw new Refusal("page/cursor-expired", "The listing of this cursor is no longer kept.");
    }
    if (kept.snapshot === null) throw stale();
    if (read.offset >= kept.snapshot.list.length)
      throw new Refusal("page/cursor-invalid", "The cursor points past the end of its listing.");
    const { snapshot } = kept;
    const { files, sources: before } = snapshot;
    const isWatched = before !== undefined && sources !== undefined;
    // A file that the listing does not name may have new items for it.
    if (isWatched && before !== sources) throw stale();
    const insist = (shown: readonly string[]) => insistOn(files, shown, turns);
    await insist([...files.keys()].slice(0, isWatched ? mostLooks.watched : mostLooks.unwatched));
    kept.usedAt = this.now();
    this.#drop(key);
    this.#put(key, kept);
    return { snapshot, offset: read.offset, cursor: cursorWriter(binding, read.id), insist };
  }

  /** Whether the listing of a cursor is still kept. */
  holds(cursor: string): boolean {
    const read = readCursor(cursor);
    const kept = read && this.#kept.get(`${read.binding}:${read.id}`);
    return kept?.snapshot != null && this.now() - kept.usedAt <= this.limits.lifeMs / 2;
  }

  /** An agent that edits asks the same again and again: of the older listings only that they are stale is of use. */
  #letGo(binding: string, sources: string | undefined): void {
    for (const key of this.#asked.get(binding) ?? []) {
      const kept = this.#kept.get(key);
      const before = kept?.snapshot?.sources;
      if (kept === undefined || before === undefined || sources === undefined || before === sources) continue;
      this.#bytes -= kept.bytes;
      kept.snapshot = null;
      kept.bytes = 0;
    }
  }

  /** Drops the least recently used, until the rest fits and none of it is too old. */
  #makeRoom(): void {
    for (const [key, { usedAt }] of this.#kept) {
      if (this.#bytes <= this.limits.bytes && this.now() - usedAt <= this.limits.lifeMs) break;
      this.#drop(key);
    }
  }

  #put(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    const keys = this.#asked.get(kept.binding);
    if (keys === undefined) this.#asked.set(kept.binding, new Set([key]));
    else keys.add(key);
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
    const keys = this.#asked.get(kept.binding);
    keys?.delete(key);
    if (keys?.size === 0) this.#asked.delete(kept.binding);
  }
}

/** Whether nothing changed between two listings that say the same: their texts would order and show them alike. */
function isSame(before: Snapshot, now: Snapshot): boolean {
  if (before.sources === undefined || before.sources !== now.sources) return false;
  if (before.files.size !== now.files.size) return false;
  for (const [file, { text }] of now.files) if (before.files.get(file)?.text !== text) return false;
  return true;
}

/** A cursor of no listing, as long as those of any. */
export const blankCursor = cursorWriter("0".repeat(16), "0".repeat(32));

function cursorWriter(binding: string, id: string): (offset: number) => string {
  return (offset) => Buffer.from([cursorVersion, binding, id, offset].join(":")).toString("base64url");
}

function readCursor(cursor: string): { binding: string; id: string; offset: number } | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const match = /^(\d+):([0-9a-f]{16}):([0-9a-f]{32}):([1-9]\d{0,8})$/.exec(text);
  if (match?.[1] !== String(cursorVersion)) return undefined;
  return { binding: match[2] ?? "", id: match[3] ?? "", offset: Number(match[4]) };
}

function stale(): Refusal {
  return new Refusal("page/cursor-stale", "The files have changed since the listing's first page.");
}

/** Throws when one of the files is not as it was. */
async function insistOn(before: Stamps, files: readonly string[], turns: Turns): Promise<void> {
  for (const [file, { text }] of await stampsOf(files, turns))
    if ((before.get(file)?.text ?? text) !== text) throw stale();
}
