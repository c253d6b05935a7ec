/**
 * The documents that one server has open, kept equal to the files on disk. A changed file is sent as the server asked:
 * the lines that differ, or the whole text. The oldest are closed past the limit, never one that a question is about.
 */

import type { ServerPlan } from "../../abi/plan.js";
import { fileUri } from "../../base/file-uri.js";
import { isTable } from "../../base/json.js";
import { isInside, slashed } from "../../base/paths.js";
import type { Lines, PositionEncoding } from "../../base/text.js";
import type { Capabilities } from "../capabilities.js";
import type { OpenDocument } from "../types.js";
import { type FileText, readText, stampOf, stampText } from "./file.js";
import { KnownTexts } from "./known-texts.js";
import { languageIdOf } from "./language-id.js";
import { lookAtAll, MOMENT_MS } from "./stamps.js";
import { changeBetween, type TextChange } from "./text-change.js";

/** So many that questions were about last are looked at in every call. */
const LATEST = 16;

const FULL = 1;
const INCREMENTAL = 2;

interface Entry {
  document: OpenDocument;
  stamp: FileText["stamp"];
}

/** What the watches know of files. */
export interface Watched {
  /** Another one as soon as anything was told of. */
  readonly cursor: number;
  /** Whether a write to a file, under its own name, is told of. */
  tells(path: string): boolean;
  /** The stamp of a file that was looked at just now. */
  stampOf(path: string): string | undefined;
}

export interface DocumentsContext {
  server: ServerPlan;
  roots: readonly string[];
  capabilities: Capabilities;
  /** How the server counts columns. */
  encoding: () => PositionEncoding;
  maxOpen: number;
  maxBytes: number;
  notify: (method: string, params: unknown) => void;
  /** Hears of every text that the server was given, or that it no longer has. */
  onChanged: (path: string, what: "opened" | "changed" | "touched" | "closed") => void;
}

export class Documents {
  readonly #context: DocumentsContext;
  /** By path, the least recently used first. */
  readonly #open = new Map<string, Entry>();
  readonly #texts = new KnownTexts();
  /** The last text that the server was given of a file, open or not, and which one it was. */
  readonly #editions = new Map<string, { hash: string; edition: number }>();
  /** How many questions are about a document, by path. */
  readonly #held = new Map<string, number>();
  /** What was closed for want of room: a question about it opens it again. */
  readonly #evicted = new Set<string>();
  /** When all of them were last looked at, and what the watches had told by then. */
  #all = { at: Number.NEGATIVE_INFINITY, cursor: -1 };
  /** Those that may be written to without a word; besides, those that were read since then. */
  readonly #restless = new Set<Entry>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The documents that are open, as the server has them. */
  get all(): OpenDocument[] {
    return [...this.#open.values()].map((entry) => entry.document);
  }

  /** The document as the server has it, or undefined when it is not open. */
  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)?.document;
  }

  /** Opens a document or brings it up to date; refuses what is not a text file. */
  sync(path: string): Promise<OpenDocument> {
    return this.#inTurn(async () => {
      const entry = this.#open.get(path);
      if (entry) await this.#update(entry);
      const open = this.#open.get(path) ?? (await this.#openNew(path));
      return this.#used(path, open);
    });
  }

  /** A question is about an open document, which is the latest used from now on. */
  #used(path: string, entry: Entry): OpenDocument {
    this.#open.delete(path);
    this.#open.set(path, entry);
    this.#closeOldest(path);
    return { ...entry.document };
  }

  /**
   * Keeps a document open while a question is about it, until it is released; one that was closed for want of room since
   * it was brought up to date is opened again, which is to be waited for.
   */
  hold(path: string): Promise<unknown> | undefined {
    this.#held.set(path, (this.#held.get(path) ?? 0) + 1);
    return this.#evicted.has(path) ? this.sync(path) : undefined;
  }

  /** The question is answered, or given up. */
  release(path: string): void {
    const others = (this.#held.get(path) ?? 1) - 1;
    if (others > 0) this.#held.set(path, others);
    else this.#held.delete(path);
    this.#closeOldest();
  }

  /** Brings every open document up to date, after a look of the watches that began then; deleted ones are closed. */
  refresh(watched: Watched): Promise<void> {
    return this.#inTurn(async () => {
      const isKnown = ({ stamp }: Entry, text: string | undefined): boolean =>
        stamp.solid && stamp.text === text;
      const unseen: string[] = [];
      for (const entry of this.#pressing(watched)) {
        const { path } = entry.document;
        if (!isKnown(entry, watched.stampOf(path))) unseen.push(path);
      }
      if (unseen.length === 0) return;
      const doubtful: Entry[] = [];
      await lookAtAll(unseen, (path, stats) => {
        const entry = this.#open.get(path);
        if (entry && !isKnown(entry, stats?.isFile() ? stampText(stats) : undefined)) doubtful.push(entry);
      });
      await Promise.all(doubtful.map((entry) => this.#update(entry).catch(() => this.#close(entry))));
    });
  }

  /**
   * The documents to be looked at: all of them, but no more than some times a second while the watches tell of nothing; in between
   * the latest, those that may be written to without a word, and those that were taken to be as they were.
   */
  #pressing(watched: Watched): Entry[] {
    const entries = [...this.#open.values()];
    const at = performance.now();
    const { cursor } = watched;
    if (cursor === this.#all.cursor && at - this.#all.at < MOMENT_MS) {
      const first = entries.length - LATEST;
      return entries.filter((entry, index) => index >= first || this.#restless.has(entry));
    }
    this.#all = { at, cursor };
    this.#restless.clear();
    for (const entry of entries) {
      const { stamp, document } = entry;
      if (!stamp.hasOneName || !watched.tells(document.path)) this.#restless.add(entry);
    }
    return entries;
  }

  /** Sends an open document again under a new version, so that the server looks at it anew. */
  touch(path: string): OpenDocument | undefined {
    const entry = this.#open.get(path);
    if (entry) this.#change(entry, { text: entry.document.lines.text }, "touched");
    return entry?.document;
  }

  /** Tells that an open document was saved, as it is: some servers check their files only then. */
  save(path: string): void {
    const entry = this.#open.get(path);
    if (entry) this.#save(entry);
  }

  /** The text that the server sees: the open document's, else the file's, which is read unless it is known. */
  async textOf(path: string): Promise<Lines | undefined> {
    const open = this.#open.get(path);
    if (open) return open.document.lines;
    return this.#texts.get(path) ?? this.#read(path);
  }

  async #read(path: string): Promise<Lines | undefined> {
    const read = await readText(path, this.#shown(path), this.#context.maxBytes).catch(() => undefined);
    this.#texts.put(path, read);
    return read?.lines;
  }

  /** Keeps changes in order: what two calls tell the server never interleaves. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #openNew(path: string): Promise<Entry> {
    const text = this.#texts.take(path) ?? (await readText(path, this.#shown(path), this.#context.maxBytes));
    const { hash, lines, stamp } = text;
    const languageId = languageIdOf(this.#context.server, path, lines.line(0));
    const uri = fileUri(path);
    const edition = this.#editionOf(path, hash);
    const document = { path, uri, languageId, version: 1, edition, hash, lines };
    const entry = { document, stamp };
    this.#open.set(path, entry);
    this.#restless.add(entry);
    this.#evicted.delete(path);
    this.#context.onChanged(path, "opened");
    const textDocument = { uri, languageId, version: 1, text: lines.text };
    this.#context.notify("textDocument/didOpen", { textDocument });
    return entry;
  }

  /** Stat, then hash: the server is told only of a text that really is another. */
  async #update(entry: Entry): Promise<void> {
    if (isCurrent(entry)) return;
    const { path } = entry.document;
    const read = await readText(path, this.#shown(path), this.#context.maxBytes).catch((error: unknown) => {
      this.#close(entry);
      throw error;
    });
    // Closed for want of room meanwhile: the server has it no longer.
    if (this.#open.get(path) !== entry) return;
    entry.stamp = read.stamp;
    this.#restless.add(entry);
    if (read.hash === entry.document.hash) return;
    const before = entry.document.lines;
    entry.document.hash = read.hash;
    entry.document.edition = this.#editionOf(path, read.hash);
    entry.document.lines = read.lines;
    const change =
      this.#syncKind() === INCREMENTAL
        ? changeBetween(before, read.lines, this.#context.encoding())
        : { text: read.lines.text };
    this.#change(entry, change, "changed");
    this.#save(entry);
  }

  #save({ document: { uri, lines } }: Entry): void {
    const withText = this.#context.capabilities.at("textDocumentSync", "save", "includeText") === true;
    this.#context.notify("textDocument/didSave", {
      textDocument: { uri },
      ...(withText ? { text: lines.text } : {}),
    });
  }

  #editionOf(path: string, hash: string): number {
    const before = this.#editions.get(path);
    if (before?.hash === hash) return before.edition;
    const edition = (before?.edition ?? 0) + 1;
    this.#editions.set(path, { hash, edition });
    return edition;
  }

  #change(entry: Entry, change: TextChange, what: "changed" | "touched"): void {
    const { document } = entry;
    const { notify, onChanged } = this.#context;
    document.version++;
    onChanged(document.path, what);
    const { uri, version, languageId } = document;
    const { text } = document.lines;
    if (this.#syncKind() === 0) {
      notify("textDocument/didClose", { textDocument: { uri } });
      notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
    } else notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [change] });
  }

  /** 0 when the server said that it takes no changes, 2 when it takes parts; anything else takes whole texts. */
  #syncKind(): unknown {
    const { capabilities } = this.#context;
    const [registered] = capabilities.registered("textDocument/didChange");
    if (registered !== undefined) return isTable(registered) ? registered.syncKind : FULL;
    const sync = capabilities.at("textDocumentSync");
    return typeof sync === "number" ? sync : capabilities.at("textDocumentSync", "change");
  }

  /** Makes room; what is in use, or was just opened, stays although there is none. */
  #closeOldest(justUsed?: string): void {
    for (const entry of this.#open.values()) {
      if (this.#open.size <= this.#context.maxOpen) return;
      const { path } = entry.document;
      if (path === justUsed || this.#held.has(path)) continue;
      const { document, stamp } = entry;
      this.#evicted.add(path);
      this.#close(entry);
      this.#texts.put(path, { hash: document.hash, lines: document.lines, stamp });
    }
  }

  /** Closes every document. */
  closeAll(): void {
    for (const entry of [...this.#open.values()]) this.#close(entry);
  }

  #close(entry: Entry): void {
    if (!this.#open.delete(entry.document.path)) return;
    this.#context.notify("textDocument/didClose", { textDocument: { uri: entry.document.uri } });
    this.#context.onChanged(entry.document.path, "closed");
  }

  #shown(path: string): string {
    const root = this.#context.roots.find((candidate) => isInside(path, candidate));
    return root === undefined ? "the file" : slashed(path.slice(root.length + 1));
  }
}

/** Whether the file's stamp proves that it is as the server was told. */
function isCurrent({ document: { path }, stamp }: Entry): boolean {
  return stamp.solid && stampOf(path)?.text === stamp.text;
}
