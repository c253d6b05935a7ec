/**
 * The files as one server sees them: its open documents, the changes it was notified of, and its diagnostics. Questions
 * that go through here are about the files as they are on disk now.
 */
import type { ProjectQueryPlan } from "../../abi/plan.js";
import { lstatOf } from "../../base/file-stamp.js";
import { sortBy } from "../../base/order.js";
import { fileUri, isInside, pathOfUri } from "../../base/paths.js";
import type { Lines, PositionEncoding } from "../../base/text.js";
import { fileChangeTypes } from "../../protocol/lsp-constants.js";
import type { Notify } from "../../protocol/notifications.js";
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
import { Documents } from "./documents.js";
import { importedFiles } from "./imports.js";
import type { MakeTextFilter } from "./outside-files.js";
import { type OpenedProjects, ProjectFiles, type SearchableFiles } from "./project-files.js";
import { wantedChanges } from "./wanted-changes.js";

/** How many files are tried when any file of a language is to be opened. */
const MAX_FILES_TRIED = 5;

interface ServerFilesContext {
  server: InstanceContext;
  capabilities: Capabilities;
  readiness: ReadinessState;
  encoding: () => PositionEncoding;
  notify: Notify;
  request: DiagnosticsContext["request"];
}

export class ServerFiles {
  readonly diagnostics: Diagnostics;
  readonly #documents: Documents;
  /** The last change that the server was notified of. */
  #cursor: number;
  #queue: Promise<void> = Promise.resolve();
  /** Files that are being opened because another one imports them. */
  readonly #openedAsImport = new Set<string>();
  readonly #projectFiles: ProjectFiles | undefined;
  #projects: { opened: Promise<OpenedProjects>; cursor: number } | undefined;
  /** How many calls wait for diagnostics. */
  pendingReports = 0;

  constructor(private readonly context: ServerFilesContext) {
    const { server, capabilities, readiness, request } = context;
    const { plan, roots, limits } = server;
    this.#cursor = server.watch.cursor;
    this.#documents = new Documents({
      ...context,
      server: plan,
      roots,
      maxOpen: limits.maxOpenDocuments,
      maxBytes: limits.maxFileBytes,
      unsaved: server.unsaved,
      onChanged: (path, what) => {
        if (what === "changed") this.diagnostics.changed(path);
        else if (what === "opened") this.#wasOpened(path);
        else this.diagnostics.forget(path);
      },
    });
    this.diagnostics = new Diagnostics({
      capabilities,
      readiness,
      check: plan.check,
      current: (path) => this.#documents.get(path),
      isOwn: (path) => this.#isOwn(path),
      touch: (path) => this.#documents.touch(path),
      save: (path) => this.#documents.save(path),
      settings: plan.diagnostics,
      request,
    });
    if (server.onActivity) this.diagnostics.onChange(server.onActivity);
    this.#projectFiles = plan.projectQuery === null ? undefined : this.#projectFilesFor(plan.projectQuery);
  }

  get open(): number {
    return this.#documents.count;
  }

  /** Whether files of the server may change without a watch event. */
  get hasUnwatchedFiles(): boolean {
    return this.context.server.watch.hasUnwatchedFiles(this.#folders());
  }

  /** Absolute folders of the server that are ignored and too large to be followed, or could not be read. */
  get partlyWatchedFolders(): string[] {
    return this.context.server.watch.partlyWatchedFolders(this.#folders());
  }

  closeAll(): void {
    this.#documents.closeAll();
  }

  /**
   * Notifies the server of all that changed on disk. With `checkedAfter`, a check that began after that time is enough.
   */
  refresh(checkedAfter?: number): Promise<void> {
    const run = this.#queue.then(async () => {
      await this.context.server.watch.check(checkedAfter);
      await this.#notifyChanges();
    });
    this.#queue = run.catch(() => undefined);
    return run;
  }

  /** The same for a question about the whole workspace, which many servers answer only once a file is open. */
  async refreshAndOpen(checkedAfter?: number): Promise<void> {
    await this.refresh(checkedAfter);
    if (this.#documents.count > 0) return;
    const files = [...this.context.server.watch.files(this.#folders())].filter((path) => this.#isOwn(path));
    for (const path of sortBy(files, (file) => [file.split(/[\\/]/).length, file]).slice(0, MAX_FILES_TRIED))
      if (await this.#tryOpen(path)) return;
  }

  /**
   * Makes a server that knows only the projects of open files know the workspace: opens a file of each project, and the
   * files outside of them that contain the name in question.
   */
  async openProjects(makeFilter: MakeTextFilter, checkedAfter?: number): Promise<SearchableFiles> {
    const projectFiles = this.#projectFiles;
    if (projectFiles === undefined) return { hasProject: true, notSearched: 0 };
    await this.refresh(checkedAfter);
    const { hasProject, outside } = await this.#openedProjects(projectFiles);
    const hasName = outside.entries.size > 0 ? makeFilter() : undefined;
    return { hasProject, notSearched: hasName ? await projectFiles.openMatching(outside, hasName) : 0 };
  }

  #openedProjects(projectFiles: ProjectFiles): Promise<OpenedProjects> {
    const { watch } = this.context.server;
    const last = this.#projects;
    const changes = last === undefined ? [] : watch.since(last.cursor, this.#folders());
    const isAffected = changes.map((change) => !change.ignored && projectFiles.apply(change)).includes(true);
    if (last && !isAffected) {
      last.cursor = watch.cursor;
      return last.opened;
    }
    const before = last?.opened.catch(() => undefined) ?? Promise.resolve();
    const projects = { opened: before.then(() => projectFiles.open()), cursor: watch.cursor };
    this.#projects = projects;
    projects.opened.catch(() => {
      if (this.#projects === projects) this.#projects = undefined;
    });
    return projects.opened;
  }

  /** How many documents may be opened that no call names. */
  get #mostOpened(): number {
    return Math.ceil(this.context.server.limits.maxOpenDocuments / 2);
  }

  /** Opens the document or brings it up to date, after the notifications of other changes. */
  async ensureOpen(path: string, checkedAfter?: number): Promise<OpenDocument> {
    await this.refresh(checkedAfter);
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

  /** Keeps a document open until it is released. One that the limit closed is opened again first. */
  async hold(path: string): Promise<void> {
    await this.#documents.hold(path);
  }

  release(path: string): void {
    this.#documents.release(path);
  }

  async report(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    this.pendingReports++;
    try {
      await this.hold(document.path);
      return await this.diagnostics.report(document, options);
    } finally {
      this.release(document.path);
      this.pendingReports--;
    }
  }

  async reportAll(options: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport> {
    await this.refreshAndOpen();
    return this.diagnostics.workspace(options, this.#documents.all);
  }

  #wasOpened(path: string): void {
    this.diagnostics.opened(path);
    if (this.context.server.plan.warmImports > 0 && !this.#openedAsImport.has(path))
      void this.#openImports(path);
  }

  /** Opens what a document imports, after it: the server reads those files before a question is about them. */
  async #openImports(path: string): Promise<void> {
    const { plan, watch } = this.context.server;
    const text = this.#documents.get(path)?.lines.text ?? "";
    const files = importedFiles(path, text, plan.extensions, watch.files(this.#folders()), plan.warmImports);
    const isPlainFile = (file: string): boolean => lstatOf(file)?.isFile() === true;
    for (const file of files.filter((name) => this.#isOwn(name) && isPlainFile(name))) {
      // Only direct imports are opened.
      this.#openedAsImport.add(file);
      await this.#tryOpen(file);
      this.#openedAsImport.delete(file);
    }
  }

  /** Opens a file that no call named; false where it cannot be opened, for example because it is no text. */
  #tryOpen(path: string): Promise<boolean> {
    this.context.server.watch.addOpened(path);
    return this.#documents.ensureOpen(path).then(
      () => true,
      () => false,
    );
  }

  #projectFilesFor(query: ProjectQueryPlan): ProjectFiles {
    const { server, request } = this.context;
    return new ProjectFiles({
      plan: server.plan,
      query,
      maxOpened: this.#mostOpened,
      folders: () => this.#folders(),
      files: () => server.watch.files(this.#folders()),
      isOwn: (path) => this.#isOwn(path),
      open: async (path) => ((await this.#tryOpen(path)) ? this.opened(path) : undefined),
      opened: (path) => this.opened(path),
      hold: (path) => this.hold(path),
      release: (path) => this.release(path),
      textOf: (path) => this.#documents.textOf(path).then((lines) => lines?.text),
      // Later calls need it too, so it does not end with the call that began it.
      request: (method, params) => {
        const { signal } = new AbortController();
        return request(method, params, { signal, timeoutMs: server.plan.requestTimeoutMs });
      },
    });
  }

  #isOwn(path: string): boolean {
    const { plan, roots } = this.context.server;
    return claims(plan, path, roots);
  }

  #folders(): string[] {
    const { root, folders } = this.context.server;
    return [root, ...folders];
  }

  async #notifyChanges(): Promise<void> {
    const { server, capabilities, readiness, notify } = this.context;
    const { watch, plan } = server;
    const { cursor } = watch;
    const changes = watch.since(this.#cursor);
    // Open documents are stat-ed where no event would come: the watch stats only the most recent files there.
    const withoutEvents = this.#documents.all
      .map(({ path }) => path)
      .filter((path) => !watch.hasEvents(path));
    await this.#documents.refresh([...changes.map(({ path }) => path), ...withoutEvents]);
    // Changes that are recorded meanwhile are sent the next time.
    this.#cursor = cursor;
    if (changes.length === 0) return;
    const isOwn = (path: string): boolean => this.#isOwn(path);
    const isOpen = (path: string): boolean => this.#documents.get(path) !== undefined;
    const folders = this.#folders();
    const ownChanges = changes.filter(({ path }) => folders.some((folder) => isInside(path, folder)));
    const wanted = wantedChanges(ownChanges, capabilities, folders, isOwn);
    if (wanted.length === 0) return;
    const events = wanted.map(({ path, type }) => ({ uri: fileUri(path), type }));
    notify("workspace/didChangeWatchedFiles", { changes: events });
    const others = wanted.map(({ path }) => path).filter((path) => !isOpen(path));
    if (others.length > 0) this.diagnostics.changed(undefined, others);
    const sources = wanted.filter(({ path, ignored }) => !ignored && isOwn(path));
    if (sources.some(({ type }) => type === fileChangeTypes.Created)) readiness.filesAdded();
    if (!plan.openOnChange) return;
    const unseen = sources.filter(({ path, type }) => type !== fileChangeTypes.Deleted && !isOpen(path));
    for (const { path } of unseen.slice(0, this.#mostOpened)) await this.#tryOpen(path);
  }
}
