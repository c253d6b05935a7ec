/**
 * Pages of a listing. A cursor names a tool, its arguments, all that was shown up to it, and an offset, by content: the same
 * question on the same files gives the same cursors, and what is not shown yet costs nothing. Listings are bounded in bytes
 * and in time, and their items are spelt page by page, so a page is told only if its files are as they were for the first one.
 */
import { sha256 } from "../../base/hash.js";
import { canonicalText, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { spelt } from "../../base/spelt.js";
import { Stop } from "../../base/stop.js";
import type { List } from "../listing/list.js";
import { Turns } from "../turns.js";
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
  /** For all listings but the largest: a huge one that is gone through does not take the room of the others, nor they its. */
  bytes: number;
  /** For one of them. */
  snapshotBytes: number;
}

const bounds: PageBounds = { lifeMs: 10 * 60_000, bytes: 2 * 1024 * 1024, snapshotBytes: 16 * 1024 * 1024 };
/** Files that are looked at before each page besides its own; where the sources are watched, few will do. */
const mostLooks = { watched: 256, unwatched: 2000 };
const bytesPerFile = 200;
const bytesPerCursor = 150;
const cursorVersion = 1;

/** A listing with the cursors that were given for it: by what was shown up to each, where it goes on. */
interface Kept {
  binding: string;
  /** What all of its pages say before their items, as a text. */
  title: string;
  /** Null once the same question was asked again after a change: all that its cursors can be told is that they are stale. */
  snapshot: Snapshot | null;
  cursors: Map<string, number>;
  bytes: number;
  usedAt: number;
}

/** Writes the cursor behind a page, by the offset that it ends at and the items that it shows. */
export type CursorWriter = (end: number, items: Json[]) => string;

/** The listings of one session. */
export class Pages {
  /** The least recently used first. */
  readonly #kept = new Set<Kept>();
  /** The listings of each question. */
  readonly #asked = new Map<string, Set<Kept>>();
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

  /** Keeps a listing for its further pages; gives what writes the cursor behind the first one. */
  async keep(binding: string, snapshot: Snapshot, turns: Turns): Promise<CursorWriter> {
    const title = JSON.stringify([snapshot.head, snapshot.beside, snapshot.total]);
    const own = Buffer.byteLength(title) + bytesPerFile * snapshot.files.size;
    const bytes = own + (await snapshot.list.weigh(turns));
    if (bytes > this.limits.snapshotBytes)
      throw new Refusal("page/snapshot-too-large", "The whole listing is too large to page through.");
    const kept: Kept = { binding, title, snapshot, cursors: new Map(), bytes, usedAt: 0 };
    this.#letGo(binding, snapshot.sources);
    // After the answer is on its way.
    if (this.#asked.has(binding)) setImmediate(() => void this.#join(kept));
    this.#put(kept);
    this.#makeRoomFor(kept);
    return this.#writer(kept, title);
  }

  /** The listing and offset of a cursor, and the check of a page's files; `sources` as they are now, where that is known. */
  async open(cursor: string, binding: string, turns: Turns, sources?: string) {
    const read = readCursor(cursor);
    if (read === undefined || read.binding !== binding)
      throw new Refusal(
        "page/cursor-invalid",
        "The cursor does not belong to this tool with these arguments.",
      );
    const { mark, offset } = read;
    const kept = this.#withCursor(binding, mark);
    if (kept === undefined || this.#isOld(kept)) {
      if (kept !== undefined) this.#drop(kept);
      throw new Refusal("page/cursor-expired", "The listing of this cursor is no longer kept.");
    }
    const { snapshot } = kept;
    if (snapshot === null) throw stale();
    if (kept.cursors.get(mark) !== offset)
      throw new Refusal("page/cursor-invalid", "The cursor is not as it was given.");
    const { files, sources: before } = snapshot;
    const isWatched = before !== undefined && sources !== undefined;
    // A file that the listing does not name may have new items for it.
    if (isWatched && before !== sources) throw stale();
    const insist = (shown: readonly string[]) => insistOn(files, shown, turns);
    await insist([...files.keys()].slice(0, isWatched ? mostLooks.watched : mostLooks.unwatched));
    if (this.#kept.has(kept)) {
      this.#drop(kept);
      this.#put(kept);
    }
    return { snapshot, offset, cursor: this.#writer(kept, mark), insist };
  }

  /** Whether the listing of a cursor is still kept. */
  holds(cursor: string): boolean {
    const read = readCursor(cursor);
    const kept = read && this.#withCursor(read.binding, read.mark);
    return kept?.snapshot != null && this.now() - kept.usedAt <= this.limits.lifeMs / 2;
  }

  #withCursor(binding: string, mark: string): Kept | undefined {
    for (const kept of this.#asked.get(binding) ?? []) if (kept.cursors.has(mark)) return kept;
    return undefined;
  }

  /** The same listing of the same files, where one is kept already, stays in its place: what is new may go while it is young. */
  async #join(kept: Kept): Promise<void> {
    const turns = new Turns(new Stop());
    for (const other of this.#asked.get(kept.binding) ?? []) {
      const [now, before] = [kept.snapshot, other.snapshot];
      if (other === kept || now === null || before === null) continue;
      if (other.title !== kept.title || !isSame(before, now)) continue;
      if (!(await before.list.equals(now.list, turns))) continue;
      // Others may have asked meanwhile, after a change or for more than there is room for.
      if (kept.snapshot !== now || other.snapshot !== before) continue;
      if (!this.#kept.has(kept) || !this.#kept.has(other)) continue;
      kept.snapshot = { ...now, list: before.list };
      this.#drop(other);
      for (const [mark, end] of other.cursors) this.#add(kept, mark, end);
    }
  }

  #add(kept: Kept, mark: string, end: number): void {
    if (!kept.cursors.has(mark)) this.#grow(kept, bytesPerCursor);
    kept.cursors.set(mark, end);
  }

  /** Writes the cursor behind a page of a listing; `before` stands for all that was shown before the page. */
  #writer(kept: Kept, before: string): CursorWriter {
    return (end, items) => {
      const mark = sha256(`${before}\n${spelt(items)}`).slice(0, 32);
      const home = this.#homeOf(kept, before);
      const other = this.#withCursor(kept.binding, mark);
      // Two listings that begin alike: whoever was shown no more than that goes on in the newer one.
      if (other !== undefined && other !== home) {
        other.cursors.delete(mark);
        this.#grow(other, -bytesPerCursor);
        // Nothing leads to it any more; but the two may be found to be one, which comes first.
        if (other.cursors.size === 0) setImmediate(() => this.#drop(other));
      }
      this.#add(home, mark, end);
      return cursorText(kept.binding, mark, end);
    };
  }

  /** Where a listing is kept now: it may have been joined to another, or dropped, while its page was made. */
  #homeOf(kept: Kept, mark: string): Kept {
    if (this.#kept.has(kept)) return kept;
    const joined = this.#withCursor(kept.binding, mark);
    if (joined === undefined) this.#put(kept);
    return joined ?? kept;
  }

  /** An agent that edits asks the same again and again: of the older listings only that they are stale is of use. */
  #letGo(binding: string, sources: string | undefined): void {
    for (const kept of this.#asked.get(binding) ?? []) {
      const before = kept.snapshot?.sources;
      if (before === undefined || sources === undefined || before === sources) continue;
      kept.snapshot = null;
      kept.title = "";
      this.#grow(kept, bytesPerCursor * kept.cursors.size - kept.bytes);
    }
  }

  #isOld({ usedAt }: Kept): boolean {
    return this.now() - usedAt > this.limits.lifeMs;
  }

  /** Drops the least recently used beside a new one, until the rest fits and none of it is too old. */
  #makeRoomFor(newest: Kept): void {
    let largest = newest;
    for (const kept of this.#kept) {
      if (this.#isOld(kept)) this.#drop(kept);
      else if (kept.bytes >= largest.bytes) largest = kept;
    }
    const most = this.limits.bytes + largest.bytes;
    for (const kept of this.#kept) {
      if (this.#bytes <= most) return;
      if (kept !== largest && kept !== newest) this.#drop(kept);
    }
    if (this.#bytes > most) this.#drop(largest);
  }

  #grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    if (this.#kept.has(kept)) this.#bytes += bytes;
  }

  #put(kept: Kept): void {
    kept.usedAt = this.now();
    this.#kept.add(kept);
    this.#bytes += kept.bytes;
    const asked = this.#asked.get(kept.binding);
    if (asked === undefined) this.#asked.set(kept.binding, new Set([kept]));
    else asked.add(kept);
  }

  #drop(kept: Kept): void {
    if (!this.#kept.delete(kept)) return;
    this.#bytes -= kept.bytes;
    const asked = this.#asked.get(kept.binding);
    asked?.delete(kept);
    if (asked?.size === 0) this.#asked.delete(kept.binding);
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
export const blankCursor: CursorWriter = (end) => cursorText("0".repeat(16), "0".repeat(32), end);

function cursorText(binding: string, mark: string, offset: number): string {
  return Buffer.from([cursorVersion, binding, mark, offset].join(":")).toString("base64url");
}

function readCursor(cursor: string): { binding: string; mark: string; offset: number } | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const match = /^(\d+):([0-9a-f]{16}):([0-9a-f]{32}):([1-9]\d{0,8})$/.exec(text);
  if (match?.[1] !== String(cursorVersion)) return undefined;
  return { binding: match[2] ?? "", mark: match[3] ?? "", offset: Number(match[4]) };
}

function stale(): Refusal {
  return new Refusal("page/cursor-stale", "The files have changed since the listing's first page.");
}

/** Throws when one of the files is not as it was. */
async function insistOn(before: Stamps, files: readonly string[], turns: Turns): Promise<void> {
  for (const [file, { text }] of await stampsOf(files, turns))
    if ((before.get(file)?.text ?? text) !== text) throw stale();
}
