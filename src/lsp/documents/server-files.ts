/**
 * The files as one server sees them: its open documents, the changes it was notified of, and its diagnostics. Questions
 * that go through here are about the files as they are on disk now.
 */

import type { ServerPlan } from "../../abi/plan.js";
import { sortBy } from "../../base/order.js";
import { pathOfUri } from "../../base/paths.js";
import type { Lines, PositionEncoding } from "../../base/text.js";
import type { Capabilities } from "../capabilities.js";
import { Diagnostics, type DiagnosticsContext } from "../diagnostics/diagnostics.js";
import type { InstanceContext } from "../instance.js";
import type { ReadinessState } from "../readiness.js";
import { claims } from "../route.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  OpenDocument,
  WorkspaceDiagnosticsReport,
} from "../types.js";
import { wantedChanges, watchedFilesParams } from "../watch/watched-files.js";
import type { WorkspaceWatch } from "../watch/workspace-watch.js";
import { Documents } from "./documents.js";

export interface ServerFilesContext {
  server: InstanceContext;
  capabilities: Capabilities;
  readiness: ReadinessState;
  encoding: () => PositionEncoding;
  notify: (method: string, params: unknown) => void;
  request: DiagnosticsContext["request"];
}

export class ServerFiles {
  readonly diagnostics: Diagnostics;
  readonly #documents: Documents;
  readonly #sync: FileSync;
  #waits = 0;

  constructor(private readonly context: ServerFilesContext) {
    const { server, capabilities, readiness, encoding, request } = context;
    const { plan, root, roots, folders, limits, watch } = server;
    const { notify } = context;
    this.#documents = new Documents({
      server: plan,
      roots,
      capabilities,
      encoding,
      maxOpen: limits.maxOpenDocuments,
      maxBytes: limits.maxFileBytes,
      notify,
      onChanged: (path, what) => {
        if (what === "changed") this.diagnostics.changed(path);
        else if (what === "opened") this.diagnostics.opened(path);
        else this.diagnostics.forget(path);
      },
    });
    this.diagnostics = new Diagnostics({
      capabilities,
      readiness,
      check: plan.check,
      current: (path) => this.#documents.get(path),
      isOwn: (path) => claims(plan, path, roots),
      touch: (path) => this.#documents.touch(path),
      save: (path) => this.#documents.save(path),
      quirks: plan.diagnostics,
      request,
    });
    this.#sync = new FileSync({
      plan,
      own: () => [root, ...folders],
      roots,
      watch,
      documents: this.#documents,
      capabilities,
      maxOpened: Math.ceil(limits.maxOpenDocuments / 2),
      notify,
      onOthersChanged: (paths) => this.diagnostics.changed(undefined, paths),
      onFilesAdded: () => readiness.filesAdded(),
    });
  }

  /** How many documents are open. */
  get open(): number {
    return this.#documents.count;
  }

  /** How many calls wait for diagnostics that the server will send unasked. */
  get waits(): number {
    return this.#waits;
  }

  /** Whether files of the server may change without a watch event. */
  get areUnwatched(): boolean {
    const { watch, root, folders } = this.context.server;
    return watch.isBlind([root, ...folders]);
  }

  /** Absolute ignored folders of the server that are too large to be followed. */
  get notWatched(): string[] {
    const { watch, root, folders } = this.context.server;
    return watch.notWatched([root, ...folders]);
  }

  /** Closes every document, before the server is asked to end. */
  closeAll(): void {
    this.#documents.closeAll();
  }

  /** Notifies the server of all that changed on disk. With `since`, a check that began after that time is enough. */
  refresh(since?: number): Promise<void> {
    return this.#sync.run(since);
  }

  /** The same for a question about the whole workspace, which many servers answer only once a file is open. */
  async refreshAndOpen(since?: number): Promise<void> {
    await this.#sync.run(since);
    await this.#sync.openOne();
  }

  /** Opens the document or brings it up to date, after the notifications of other changes. */
  async ensureOpen(path: string, since?: number): Promise<OpenDocument> {
    await this.#sync.run(since);
    this.context.server.watch.addOpened(path);
    return this.#documents.ensureOpen(path);
  }

  /** The document as the server has it now; undefined when it is not open there. */
  opened(path: string): OpenDocument | undefined {
    const document = this.#documents.get(path);
    return document && { ...document };
  }

  /** The text of a file of an answer, open or not. */
  async textOf(uri: string): Promise<Lines | undefined> {
    const path = pathOfUri(uri);
    if (path === undefined) return undefined;
    this.context.server.watch.addShown(path);
    return this.#documents.textOf(path);
  }

  /** Keeps a document open until `run` calls `release`. */
  held<T>(path: string, run: (release: () => void) => Promise<T>): Promise<T> {
    const release = () => this.#documents.release(path);
    const reopening = this.#documents.hold(path);
    if (reopening === undefined) return run(release);
    return reopening.then(
      () => run(release),
      (error: unknown) => {
        release();
        throw error;
      },
    );
  }

  async report(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    this.#waits++;
    try {
      return await this.held(document.path, (release) =>
        this.diagnostics.report(document, options).finally(release),
      );
    } finally {
      this.#waits--;
    }
  }

  async reportAll(options: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport> {
    await this.refreshAndOpen();
    return this.diagnostics.workspace(options, this.#documents.all);
  }
}

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
  #cursor: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(private readonly context: FileSyncContext) {
    this.#cursor = context.watch.cursor;
  }

  /** Notifies the server of all that changed on disk. With `since`, a check that began after that time is enough. */
  run(since?: number): Promise<void> {
    const run = this.#queue.then(async () => {
      await this.context.watch.check(since);
      await this.#notify();
    });
    this.#queue = run.catch(() => undefined);
    return run;
  }

  async #notify(): Promise<void> {
    const { watch, documents, capabilities, notify, plan } = this.context;
    const { cursor } = watch;
    if (cursor === this.#cursor) return;
    const since = this.#cursor;
    this.#cursor = cursor;
    await documents.refresh(watch.since(since).map(({ path }) => path));
    const own = this.context.own();
    const wanted = wantedChanges(watch.since(since, own), capabilities, own, (path) => this.#isOwn(path));
    if (wanted.length === 0) return;
    notify("workspace/didChangeWatchedFiles", watchedFilesParams(wanted));
    const others = wanted.filter(({ path }) => documents.get(path) === undefined);
    if (others.length > 0) this.context.onOthersChanged(others.map(({ path }) => path));
    const sources = wanted.filter(({ path, ignored }) => !ignored && this.#isOwn(path));
    if (sources.some(({ type }) => type === CREATED)) this.context.onFilesAdded();
    if (!plan.openOnChange) return;
    const unseen = sources.filter(({ path, type }) => type !== DELETED && documents.get(path) === undefined);
    for (const { path } of unseen.slice(0, this.context.maxOpened)) await this.#tryOpen(path);
  }

  /** Opens one file of the server's kind when none is open: many servers know no workspace symbols before. */
  async openOne(): Promise<void> {
    const { documents, watch } = this.context;
    if (documents.count > 0) return;
    const own = [...watch.files(this.context.own())].filter((path) => this.#isOwn(path));
    for (const path of sortBy(own, (file) => [file.split(/[\\/]/).length, file]).slice(0, CANDIDATES)) {
      if (await this.#tryOpen(path)) return;
    }
  }

  #isOwn(path: string): boolean {
    return claims(this.context.plan, path, this.context.roots);
  }

  /** False for a file that is no text: it is of no interest to a server either. */
  async #tryOpen(path: string): Promise<boolean> {
    this.context.watch.addOpened(path);
    const opened = await this.context.documents.ensureOpen(path).catch(() => undefined);
    return opened !== undefined;
  }
}
