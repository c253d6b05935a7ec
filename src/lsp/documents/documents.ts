/**
 * The documents that one server has open, kept equal to the files on disk. A changed file is sent as the server asked:
 * the lines that differ, or the whole text. Past the limit the oldest are closed, but none that a question is about.
 */
import { LRUCache } from "lru-cache";
import type { Position, TextDocumentContentChangeEvent } from "vscode-languageserver-protocol";
import type { ServerPlan } from "../../abi/plan.js";
import { stampOf } from "../../base/file-stamp.js";
import { isTable } from "../../base/json.js";
import { fileUri, isInside, slashed } from "../../base/paths.js";
import { columnsOf, type Lines, type PositionEncoding } from "../../base/text.js";
import { syncKinds } from "../../protocol/lsp-constants.js";
import type { Notify } from "../../protocol/notifications.js";
import type { Capabilities } from "../capabilities.js";
import { languageIdOf } from "../route.js";
import type { OpenDocument } from "../types.js";
import { type FileText, readText, unsavedText } from "./read-text.js";

const MAX_CACHED_BYTES = 4 * 1024 * 1024;
/** Bytes counted for a cached text besides its characters: for each line, and for the text. */
const BYTES_PER_LINE = 16;
const BYTES_PER_TEXT = 512;
/** How many closed documents are remembered. */
const MAX_REMEMBERED = 10_000;

interface Entry extends Pick<FileText, "stamp" | "isReliable"> {
  document: OpenDocument;
}

interface DocumentsContext {
  server: ServerPlan;
  roots: readonly string[];
  capabilities: Capabilities;
  encoding: () => PositionEncoding;
  maxOpen: number;
  maxBytes: number;
  /** Texts that count instead of those on disk, by path. */
  unsaved?: ReadonlyMap<string, string> | undefined;
  notify: Notify;
  /** Called when a document is opened, changed, sent again unchanged (`touched`) or closed. */
  onChanged: (path: string, what: "opened" | "changed" | "touched" | "closed") => void;
}

export class Documents {
  /** By path, the least recently used first. Not an LRUCache: documents that a question is about are never closed. */
  readonly #open = new Map<string, Entry>();
  /** Texts of files that are not open. */
  readonly #texts = new LRUCache<string, FileText>({
    maxSize: MAX_CACHED_BYTES,
    maxEntrySize: MAX_CACHED_BYTES / 4,
    sizeCalculation: ({ lines }) => 2 * lines.text.length + BYTES_PER_LINE * lines.count + BYTES_PER_TEXT,
  });
  /** Documents that were closed, with the hash of their last text. An evicted one is opened again when it is held. */
  readonly #closed = new LRUCache<string, { hash: string; edition: number; isEvicted: boolean }>({
    max: MAX_REMEMBERED,
  });
  /** The last edition of any text. Editions are never reused, not even for a document that was closed and forgotten. */
  #lastEdition = 0;
  /** How many questions are about a document, by path. */
  readonly #held = new Map<string, number>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: DocumentsContext) {}

  get count(): number {
    return this.#open.size;
  }

  get all(): OpenDocument[] {
    return [...this.#open.values()].map((entry) => entry.document);
  }

  /** The document as the server has it, or undefined when it is not open. */
  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)?.document;
  }

  /** Opens a document or brings it up to date; refuses what is not a text file. */
  ensureOpen(path: string): Promise<OpenDocument> {
    return this.#inTurn(async () => {
      const known = this.#open.get(path);
      if (known !== undefined) await this.#update(known);
      const entry = this.#open.get(path) ?? (await this.#openNew(path));
      this.#open.delete(path);
      this.#open.set(path, entry);
      this.#closeOldest(path);
      return { ...entry.document };
    });
  }

  /** Brings those of these files that are open up to date; deleted ones are closed. */
  refresh(paths: Iterable<string>): Promise<void> {
    return this.#inTurn(async () => {
      const entries = [...new Set(paths)]
        .map((path) => this.#open.get(path))
        .filter((entry) => entry !== undefined);
      // A document whose file cannot be read is closed; nobody asked about it.
      await Promise.all(entries.map((entry) => this.#update(entry).catch(() => undefined)));
    });
  }

  /** Keeps a document open until it is released. Wait for the promise when it has to be opened again. */
  hold(path: string): Promise<unknown> | undefined {
    this.#held.set(path, (this.#held.get(path) ?? 0) + 1);
    return this.#closed.get(path)?.isEvicted ? this.ensureOpen(path) : undefined;
  }

  release(path: string): void {
    const others = (this.#held.get(path) ?? 1) - 1;
    if (others > 0) this.#held.set(path, others);
    else this.#held.delete(path);
    this.#closeOldest();
  }

  /** Sends an open document again under a new version, so that the server checks it again. */
  touch(path: string): OpenDocument | undefined {
    const entry = this.#open.get(path);
    if (entry) this.#change(entry, { text: entry.document.lines.text }, "touched");
    return entry?.document;
  }

  /** Notifies the server that an open document was saved: some servers check files only then. */
  save(path: string): void {
    const entry = this.#open.get(path);
    if (entry) this.#save(entry);
  }

  /** The text that the server sees: the open document's, else the file's. */
  async textOf(path: string): Promise<Lines | undefined> {
    const open = this.#open.get(path);
    if (open) return open.document.lines;
    const cached = this.#texts.get(path);
    if (cached && stampOf(path)?.text === cached.stamp.text) return cached.lines;
    const read = await this.#read(path).catch(() => undefined);
    if (read) this.#cache(path, read);
    return read?.lines;
  }

  /** Caches a text, unless its file may have been written again in the same clock tick. */
  #cache(path: string, text: FileText): void {
    if (text.isReliable) this.#texts.set(path, text);
    else this.#texts.delete(path);
  }

  closeAll(): void {
    for (const entry of [...this.#open.values()]) this.#close(entry);
  }

  /** Runs one change after the other: the notifications of two calls never interleave. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #read(path: string): Promise<FileText> {
    const { roots, unsaved, maxBytes } = this.context;
    const root = roots.find((candidate) => isInside(path, candidate));
    const shown = root === undefined ? "the file" : slashed(path.slice(root.length + 1));
    const given = unsaved?.get(path);
    return given === undefined ? readText(path, shown, maxBytes) : unsavedText(given, shown, maxBytes);
  }

  async #openNew(path: string): Promise<Entry> {
    const { hash, lines, stamp, isReliable } = await this.#read(path);
    const languageId = languageIdOf(this.context.server, path, lines.line(0));
    const uri = fileUri(path);
    const before = this.#closed.get(path);
    const edition = before?.hash === hash ? before.edition : ++this.#lastEdition;
    const document = { path, uri, languageId, version: 1, edition, hash, lines };
    const entry = { document, stamp, isReliable };
    this.#open.set(path, entry);
    this.#closed.delete(path);
    this.context.onChanged(path, "opened");
    const textDocument = { uri, languageId, version: 1, text: lines.text };
    this.context.notify("textDocument/didOpen", { textDocument });
    return entry;
  }

  /** Compares stamps, then hashes: the server is sent only a text that really differs. */
  async #update(entry: Entry): Promise<void> {
    const { path } = entry.document;
    const isOnDisk = this.context.unsaved?.has(path) !== true;
    if (isOnDisk && entry.isReliable && stampOf(path)?.text === entry.stamp.text) return;
    const read = await this.#read(path).catch((error: unknown) => {
      this.#close(entry);
      throw error;
    });
    // It may have been closed because of the limit while the file was read.
    if (this.#open.get(path) !== entry) return;
    entry.stamp = read.stamp;
    entry.isReliable = read.isReliable;
    if (read.hash === entry.document.hash) return;
    const before = entry.document.lines;
    entry.document.hash = read.hash;
    entry.document.edition = ++this.#lastEdition;
    entry.document.lines = read.lines;
    const change =
      this.#syncKind() === syncKinds.Incremental
        ? changeBetween(before, read.lines, this.context.encoding())
        : { text: read.lines.text };
    this.#change(entry, change, "changed");
    this.#save(entry);
  }

  #save({ document: { uri, lines } }: Entry): void {
    const withText = this.context.capabilities.at("textDocumentSync", "save", "includeText") === true;
    this.context.notify("textDocument/didSave", {
      textDocument: { uri },
      ...(withText ? { text: lines.text } : {}),
    });
  }

  #change(entry: Entry, change: TextDocumentContentChangeEvent, what: "changed" | "touched"): void {
    const { document } = entry;
    const { notify, onChanged } = this.context;
    document.version++;
    onChanged(document.path, what);
    const { uri, version, languageId } = document;
    const { text } = document.lines;
    if (this.#syncKind() === syncKinds.None) {
      notify("textDocument/didClose", { textDocument: { uri } });
      notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
    } else notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [change] });
  }

  /** How the server takes changes. Anything but none and incremental means whole texts. */
  #syncKind(): unknown {
    const { capabilities } = this.context;
    const [registered] = capabilities.registered("textDocument/didChange");
    if (registered !== undefined) return isTable(registered) ? registered.syncKind : syncKinds.Full;
    const sync = capabilities.at("textDocumentSync");
    return typeof sync === "number" ? sync : capabilities.at("textDocumentSync", "change");
  }

  /** Closes the oldest past the limit, except what is in use or was just opened. */
  #closeOldest(justUsed?: string): void {
    for (const entry of this.#open.values()) {
      if (this.#open.size <= this.context.maxOpen) return;
      const { path, hash, lines } = entry.document;
      if (path === justUsed || this.#held.has(path)) continue;
      this.#close(entry, true);
      this.#cache(path, { hash, lines, stamp: entry.stamp, isReliable: entry.isReliable });
    }
  }

  #close(entry: Entry, isEvicted = false): void {
    const { path, uri, hash, edition } = entry.document;
    if (!this.#open.delete(path)) return;
    this.#closed.set(path, { hash, edition, isEvicted });
    this.context.notify("textDocument/didClose", { textDocument: { uri } });
    this.context.onChanged(path, "closed");
  }
}

/** The change of whole lines between two texts: no character or line ending is cut in any encoding. */
export function changeBetween(
  before: Lines,
  after: Lines,
  encoding: PositionEncoding,
): TextDocumentContentChangeEvent {
  const shorter = Math.min(before.count, after.count);
  let top = 0;
  while (top < shorter && whole(before, top) === whole(after, top)) top++;
  if (top === shorter) return { text: after.text };
  let bottom = 0;
  while (
    bottom < shorter - top &&
    whole(before, before.count - 1 - bottom) === whole(after, after.count - 1 - bottom)
  )
    bottom++;
  return {
    range: { start: { line: top, character: 0 }, end: startOf(before, before.count - bottom, encoding) },
    text: after.text.slice(after.start(top), after.start(after.count - bottom)),
  };
}

/** A line with its ending. */
function whole(lines: Lines, line: number): string {
  return lines.text.slice(lines.start(line), lines.start(line + 1));
}

/** The start of a line; past the last one, the end of the text. */
function startOf(lines: Lines, line: number, encoding: PositionEncoding): Position {
  if (line < lines.count) return { line, character: 0 };
  const last = lines.count - 1;
  return { line: last, character: columnsOf(lines.line(last), encoding) };
}
