/**
 * Pages of a listing. A cursor is a hash of the tool, its arguments and everything shown so far, with an offset: the
 * same question about the same files gives the same cursors. Listings are kept within bounds of bytes and time.
 */
import { sha256 } from "../../base/hash.js";
import { canonicalText, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Turns } from "../../base/timing.js";
import { type Stamps, stampsOf } from "../ask/retry-on-change.js";
import type { List } from "../listing/list.js";
import type { Header } from "./envelope.js";

/** The data that the pages of one listing share. */
export interface Snapshot {
  header: Header;
  beside: JsonObject;
  list: List;
  /** Items found; more than `list.length` when not all of them are listed. */
  total: number;
  /** Whether more items were found than are kept for paging. */
  isBounded: boolean;
  files: Stamps;
  /** Equal while no source file of the workspace has changed; undefined when that is not known. */
  sourcesCursor: number | undefined;
}

/** How long and how much is kept for paging. */
interface PageBounds {
  lifeMs: number;
  /** For all listings but the largest, so that one huge listing does not evict the others, nor they it. */
  bytes: number;
  /** For one listing. */
  snapshotBytes: number;
}

const MIB = 1024 * 1024;
const defaultBounds: PageBounds = { lifeMs: 10 * 60_000, bytes: MIB, snapshotBytes: 16 * MIB };
/** Files that are stat-ed before each page besides its own; few are enough where the sources are watched. */
const mostStats = { watched: 256, unwatched: 2000 };
/** For the stamp of a file, besides what the list itself takes. */
export const BYTES_PER_STAMP = 200;
/** The code of a listing that is too large to be kept. */
export const TOO_LARGE = "page/snapshot-too-large";
const BYTES_PER_CURSOR = 150;
const CURSOR_VERSION = 1;

/** A kept listing; its cursors are by the hash of what was shown, and say where the next page begins. */
interface Listing {
  readonly binding: string;
  readonly snapshot: Snapshot;
  readonly cursors: Map<string, number>;
  bytes: number;
  usedAt: number;
}

/** Writes the cursor after a page, from the offset where it ends and the items that it shows. */
export type CursorWriter = (end: number, items: Json[]) => string;

/** How the page after one is reached. */
export interface NextPage {
  cursor: CursorWriter;
  /** Makes a cursor valid: the answer that contains it is sent. */
  issue(cursor: string): void;
}

export class Pages {
  /** The least recently used first. Not an LRUCache: the largest does not count against the others. */
  readonly #listings = new Set<Listing>();
  #bytes = 0;

  constructor(
    private readonly bounds: PageBounds = defaultBounds,
    private readonly now: () => number = Date.now,
  ) {}

  /** The key that a cursor is bound to: the tool and the arguments that define the listing. */
  static binding(tool: string, asked: JsonObject): string {
    return sha256(canonicalText([tool, asked])).slice(0, 16);
  }

  get held(): { listings: number; bytes: number } {
    return { listings: this.#listings.size, bytes: this.#bytes };
  }

  /** The bytes that one listing may take. */
  get maxListingBytes(): number {
    return this.bounds.snapshotBytes;
  }

  /** Keeps a listing for its further pages; refuses one that is too large for that. */
  async keep(binding: string, snapshot: Snapshot, turns: Turns): Promise<NextPage> {
    const { header, beside, total, files, list } = snapshot;
    const title = JSON.stringify([header, beside, total]);
    const bytes = Buffer.byteLength(title) + BYTES_PER_STAMP * files.size + (await list.bytes(turns));
    if (bytes > this.bounds.snapshotBytes)
      throw new Refusal(TOO_LARGE, "The whole listing is too large to page through.");
    const listing = { binding, snapshot, cursors: new Map<string, number>(), bytes, usedAt: 0 };
    this.#use(listing);
    return this.#nextPage(listing, title);
  }

  /** The listing and offset of a cursor, and a check of the page's files; `sourcesCursor` is the present one, if known. */
  async open(cursor: string, binding: string, turns: Turns, sourcesCursor?: number) {
    const read = readCursor(cursor);
    if (read === undefined || read.binding !== binding)
      throw new Refusal(
        "page/cursor-invalid",
        "The cursor does not belong to this tool with these arguments.",
      );
    const { mark, offset } = read;
    const listing = this.#find(binding, mark);
    if (listing === undefined || this.#isExpired(listing)) {
      if (listing !== undefined) this.#drop(listing);
      throw new Refusal("page/cursor-expired", "The listing of this cursor is no longer kept.");
    }
    if (listing.cursors.get(mark) !== offset)
      throw new Refusal("page/cursor-invalid", "The cursor was altered.");
    const { snapshot } = listing;
    const { files, sourcesCursor: before } = snapshot;
    const isWatched = before !== undefined && sourcesCursor !== undefined;
    // A file that the listing does not name may have new items for it.
    if (isWatched && before !== sourcesCursor) throw stale();
    const assertUnchanged = (shown: readonly string[]) => assertSameFiles(files, shown, turns);
    await assertUnchanged([...files.keys()].slice(0, isWatched ? mostStats.watched : mostStats.unwatched));
    if (this.#listings.has(listing)) this.#use(listing);
    return { snapshot, offset, assertUnchanged, nextPage: this.#nextPage(listing, mark) };
  }

  #find(binding: string, mark: string): Listing | undefined {
    for (const listing of this.#listings)
      if (listing.binding === binding && listing.cursors.has(mark)) return listing;
    return undefined;
  }

  /** `shown` stands for everything that was shown before the page. */
  #nextPage(listing: Listing, shown: string): NextPage {
    return {
      cursor: (end, items) => {
        const mark = sha256(`${shown}\n${JSON.stringify(items)}`).slice(0, 32);
        return cursorText(listing.binding, mark, end);
      },
      issue: (cursor) => {
        const read = readCursor(cursor);
        if (read !== undefined) this.#issue(listing, read.mark, read.offset);
      },
    };
  }

  #issue(listing: Listing, mark: string, end: number): void {
    // The listing was evicted while its page was made: it is kept again for the next page, without the older cursors.
    if (!this.#listings.has(listing)) {
      listing.bytes -= BYTES_PER_CURSOR * listing.cursors.size;
      listing.cursors.clear();
      this.#use(listing);
    }
    const other = this.#find(listing.binding, mark);
    if (other === listing) return;
    // Two listings with the same beginning: the cursor continues in the newer one.
    if (other !== undefined) {
      other.cursors.delete(mark);
      this.#resize(other, -BYTES_PER_CURSOR);
      if (other.cursors.size === 0) this.#drop(other);
    }
    listing.cursors.set(mark, end);
    this.#resize(listing, BYTES_PER_CURSOR);
  }

  #isExpired({ usedAt }: Listing): boolean {
    return this.now() - usedAt > this.bounds.lifeMs;
  }

  #resize(listing: Listing, bytes: number): void {
    listing.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Makes a listing the most recently used one. */
  #use(listing: Listing): void {
    this.#drop(listing);
    listing.usedAt = this.now();
    this.#listings.add(listing);
    this.#bytes += listing.bytes;
    this.#evictFor(listing);
  }

  /** Drops expired listings, then the least recently used, until the rest fits beside the largest. */
  #evictFor(newest: Listing): void {
    let largest = newest;
    for (const listing of this.#listings) {
      if (this.#isExpired(listing)) this.#drop(listing);
      else if (listing.bytes >= largest.bytes) largest = listing;
    }
    const most = this.bounds.bytes + largest.bytes;
    for (const listing of this.#listings) {
      if (this.#bytes <= most) return;
      if (listing !== largest && listing !== newest) this.#drop(listing);
    }
    if (this.#bytes > most) this.#drop(largest);
  }

  #drop(listing: Listing): void {
    if (this.#listings.delete(listing)) this.#bytes -= listing.bytes;
  }
}

/** A cursor of the usual length that belongs to no listing. */
export const blankCursor: CursorWriter = (end) => cursorText("0".repeat(16), "0".repeat(32), end);

function cursorText(binding: string, mark: string, offset: number): string {
  return Buffer.from([CURSOR_VERSION, binding, mark, offset].join(":")).toString("base64url");
}

function readCursor(cursor: string): { binding: string; mark: string; offset: number } | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const match = /^(\d+):([0-9a-f]{16}):([0-9a-f]{32}):([1-9]\d{0,8})$/.exec(text);
  if (match?.[1] !== String(CURSOR_VERSION)) return undefined;
  return { binding: match[2] ?? "", mark: match[3] ?? "", offset: Number(match[4]) };
}

function stale(): Refusal {
  return new Refusal("page/cursor-stale", "The files have changed since the listing's first page.");
}

async function assertSameFiles(before: Stamps, files: readonly string[], turns: Turns): Promise<void> {
  for (const [file, stamp] of await stampsOf(files, turns))
    if (before.has(file) && before.get(file)?.text !== stamp?.text) throw stale();
}
