/**
 * Keeps one server's view equal to the disk: before a question it is notified of every file that anyone changed, in the
 * way it needs. Open documents get didChange, other files didChangeWatchedFiles, and some servers need a didOpen.
 */
import type { ServerPlan } from "../../abi/plan.js";
import { sortBy } from "../../base/order.js";
import type { Capabilities } from "../capabilities.js";
import { claims } from "../route.js";
import { wantedChanges, watchedFilesParams } from "../watch/watched-files.js";
import type { WorkspaceWatch } from "../watch/workspace-watch.js";
import type { Documents } from "./documents.js";

const CREATED = 1;
const DELETED = 3;
/** How many files are tried when any file of a language is to be opened. */
const CANDIDATES = 5;

export interface FileSyncContext {
  plan: ServerPlan;
  /** The folders that the server serves. */
  own: () => readonly string[];
  roots: readonly string[];
  watch: WorkspaceWatch;
  documents: Documents;
  capabilities: Capabilities;
  /** Most files that are opened after one check. */
  maxOpened: number;
  notify: (method: string, params: unknown) => void;
  /** Called with the files that changed and are not open. */
  onOthersChanged: (paths: readonly string[]) => void;
  /** Called when the server was notified of new source files of its own. */
  onFilesAdded: () => void;
}

export class FileSync {
  readonly #context: FileSyncContext;
  #cursor: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(context: FileSyncContext) {
    this.#context = context;
    this.#cursor = context.watch.cursor;
  }

  /** Notifies the server of all that changed on disk. With `since`, a check that began after that time is enough. */
  run(since?: number): Promise<void> {
    const run = this.#queue.then(async () => {
      await this.#context.watch.check(since);
      await this.#notify();
    });
    this.#queue = run.catch(() => undefined);
    return run;
  }

  async #notify(): Promise<void> {
    const { watch, documents, capabilities, notify, plan } = this.#context;
    const { cursor } = watch;
    if (cursor === this.#cursor) return;
    const since = this.#cursor;
    this.#cursor = cursor;
    await documents.refresh(watch.since(since).map(({ path }) => path));
    const own = this.#context.own();
    const wanted = wantedChanges(watch.since(since, own), capabilities, own, (path) => this.#isOwn(path));
    if (wanted.length === 0) return;
    notify("workspace/didChangeWatchedFiles", watchedFilesParams(wanted));
    const others = wanted.filter(({ path }) => documents.get(path) === undefined);
    if (others.length > 0) this.#context.onOthersChanged(others.map(({ path }) => path));
    const sources = wanted.filter(({ path, ignored }) => !ignored && this.#isOwn(path));
    if (sources.some(({ type }) => type === CREATED)) this.#context.onFilesAdded();
    if (!plan.openOnChange) return;
    const unseen = sources.filter(({ path, type }) => type !== DELETED && documents.get(path) === undefined);
    for (const { path } of unseen.slice(0, this.#context.maxOpened)) await this.#tryOpen(path);
  }

  /** Opens one file of the server's kind when none is open: many servers know no workspace symbols before. */
  async openOne(): Promise<void> {
    const { documents, watch } = this.#context;
    if (documents.count > 0) return;
    const own = [...watch.files(this.#context.own())].filter((path) => this.#isOwn(path));
    for (const path of sortBy(own, (file) => [file.split(/[\\/]/).length, file]).slice(0, CANDIDATES)) {
      if (await this.#tryOpen(path)) return;
    }
  }

  #isOwn(path: string): boolean {
    return claims(this.#context.plan, path, this.#context.roots);
  }

  /** False for a file that is no text: it is of no interest to a server either. */
  async #tryOpen(path: string): Promise<boolean> {
    this.#context.watch.addOpened(path);
    const opened = await this.#context.documents.sync(path).catch(() => undefined);
    return opened !== undefined;
  }
}
