/**
 * Pages of a listing. A cursor names a tool, its arguments, all that was shown up to it, and an offset, by content: the same
 * question on the same files gives the same cursors, and nothing is spelt for them that is not shown. Listings are bounded in bytes
 * and in time, and their items are spelt page by page, so a page is told only if its files are as they were for the first one.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { sha256 } from "../../base/hash.js";
import { canonicalText, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { spelt } from "../../base/spelt.js";
import type { List } from "../listing/list.js";
import { Turns } from "../turns.js";
import type { Head } from "./head.js";
import { isAsBefore, type Stamps, stampsOf } from "./stamps.js";

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

const bounds: PageBounds = { lifeMs: 10 * 60_000, bytes: 1024 * 1024, snapshotBytes: 16 * 1024 * 1024 };
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
  /** Resolves when it takes as little room as it can; until then it is not gone through. */
  packed: Promise<void>;
  /** What went wrong with that, if anything did. */
  fault: unknown;
  cursors: Map<string, number>;
  bytes: number;
  usedAt: number;
}

/** Writes the cursor behind a page, by the offset that it ends at and the items that it shows. */
export type CursorWriter = (end: number, items: Json[]) => string;

/** The way to the page after one. */
export interface WayOn {
  cursor: CursorWriter;
  /** From now on a cursor is good: the answer that has it is given. */
  give(cursor: string): void;
}

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

  /** Keeps a listing for its further pages; gives the way to them. */
  async keep(binding: string, shown: Snapshot, turns: Turns): Promise<WayOn> {
    const snapshot = { ...shown };
    const title = JSON.stringify([snapshot.head, snapshot.beside, snapshot.total]);
    const own = Buffer.byteLength(title) + bytesPerFile * snapshot.files.size;
    const bytes = own + (await snapshot.list.weigh(turns));
    if (bytes > this.limits.snapshotBytes)
      throw new Refusal("page/snapshot-too-large", "The whole listing is too large to page through.");
    const before = await this.#sameAs(binding, title, snapshot, turns);
    const cursors = new Map<string, number>();
    const kept = before ?? packing({ binding, title, snapshot, cursors, bytes, usedAt: 0 });
    this.#letGo(binding, snapshot.sources);
    this.#use(kept);
    return this.#wayOn(kept, title);
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
    await kept.packed;
    const { files, sources: before } = snapshot;
    const isWatched = before !== undefined && sources !== undefined;
    // A file that the listing does not name may have new items for it.
    if (isWatched && before !== sources) throw stale();
    if (kept.fault !== undefined) {
      this.#drop(kept);
      throw kept.fault;
    }
    const insist = (shown: readonly string[]) => insistOn(files, shown, turns);
    await insist([...files.keys()].slice(0, isWatched ? mostLooks.watched : mostLooks.unwatched));
    if (this.#kept.has(kept)) this.#use(kept);
    return { snapshot, offset, insist, wayOn: this.#wayOn(kept, mark) };
  }

  /** Whether the listing of a cursor is still kept. */
  holds(cursor: string): boolean {
    const read = readCursor(cursor);
    const kept = read && this.#withCursor(read.binding, read.mark);
    return (
      kept?.snapshot != null && kept.fault === undefined && this.now() - kept.usedAt <= this.limits.lifeMs / 2
    );
  }

  #withCursor(binding: string, mark: string): Kept | undefined {
    for (const kept of this.#asked.get(binding) ?? []) if (kept.cursors.has(mark)) return kept;
    return undefined;
  }

  /** The same listing of the same files, where it is kept: what is new may go while it is young. */
  async #sameAs(binding: string, title: string, snapshot: Snapshot, turns: Turns): Promise<Kept | undefined> {
    for (const kept of this.#asked.get(binding) ?? []) {
      const before = kept.snapshot;
      if (before === null || kept.title !== title || !isSame(before, snapshot)) continue;
      await kept.packed;
      if (kept.fault !== undefined) continue;
      const isEqual = await before.list.equals(snapshot.list, turns);
      // Others may have asked meanwhile, after a change or for more than there is room for.
      if (isEqual && kept.snapshot === before && this.#kept.has(kept)) return kept;
    }
    return undefined;
  }

  /** The way on behind a page of a listing; `before` stands for all that was shown before the page. */
  #wayOn(kept: Kept, before: string): WayOn {
    return {
      cursor: (end, items) => {
        const mark = sha256(`${before}\n${spelt(items)}`).slice(0, 32);
        return cursorText(kept.binding, mark, end);
      },
      give: (cursor) => {
        const read = readCursor(cursor);
        if (read !== undefined) this.#give(kept, read.mark, read.offset);
      },
    };
  }

  #give(kept: Kept, mark: string, end: number): void {
    // While its page was made it had to go, and with it the cursors before: who is at it goes on.
    if (!this.#kept.has(kept)) {
      this.#grow(kept, -bytesPerCursor * kept.cursors.size);
      kept.cursors.clear();
      this.#use(kept);
    }
    const other = this.#withCursor(kept.binding, mark);
    if (other === kept) return;
    // Two listings that begin alike: whoever was shown no more than that goes on in the newer one.
    if (other !== undefined) {
      other.cursors.delete(mark);
      this.#grow(other, -bytesPerCursor);
      if (other.cursors.size === 0) this.#drop(other);
    }
    kept.cursors.set(mark, end);
    this.#grow(kept, bytesPerCursor);
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

  #grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    if (this.#kept.has(kept)) this.#bytes += bytes;
  }

  /** Puts a listing among those that are kept, as the one that was used last. */
  #use(kept: Kept): void {
    this.#drop(kept);
    kept.usedAt = this.now();
    this.#kept.add(kept);
    this.#bytes += kept.bytes;
    const asked = this.#asked.get(kept.binding);
    if (asked === undefined) this.#asked.set(kept.binding, new Set([kept]));
    else asked.add(kept);
    this.#makeRoomFor(kept);
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

  #drop(kept: Kept): void {
    if (!this.#kept.delete(kept)) return;
    this.#bytes -= kept.bytes;
    const asked = this.#asked.get(kept.binding);
    asked?.delete(kept);
    if (asked?.size === 0) this.#asked.delete(kept.binding);
  }
}

/** The same listing, which is put into as little room as it can have once its first page is on its way. */
function packing(listing: Omit<Kept, "packed" | "fault"> & { snapshot: Snapshot }): Kept {
  const pack = async () => {
    await nextTurn();
    try {
      listing.snapshot.list = await listing.snapshot.list.packed(new Turns(new AbortController().signal));
    } catch (error) {
      // Where there was no memory for another one, which V8 tells so, it stays as it is.
      if (!(error instanceof RangeError)) kept.fault = error;
    }
  };
  const kept: Kept = { ...listing, packed: Promise.resolve(), fault: undefined };
  kept.packed = pack();
  return kept;
}

/** Whether nothing changed between two listings that say the same: their texts would order and show them alike. */
function isSame(before: Snapshot, now: Snapshot): boolean {
  if (before.sources === undefined || before.sources !== now.sources) return false;
  if (before.files.size !== now.files.size) return false;
  for (const [file, stamp] of now.files) if (!isAsBefore(stamp, before.files.get(file))) return false;
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
  for (const [file, stamp] of await stampsOf(files, turns))
    if (!isAsBefore(stamp, before.get(file) ?? stamp)) throw stale();
}
