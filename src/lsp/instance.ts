/**
 * One running server for one root: started, initialized, fed with documents, asked, and ended. It never restarts
 * itself; when its process is gone, everything that waits hears so at once.
 */

import type { ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import type { Lines, PositionEncoding } from "../base/text.js";
import { Capabilities } from "./capabilities.js";
import {
  type FileOperation,
  fileMethod,
  fileParams,
  type OperatedFile,
  wantedFiles,
} from "./documents/file-operations.js";
import { ServerFiles } from "./documents/server-files.js";
import { takesFolders } from "./folders.js";
import { documentOf } from "./inside.js";
import type { InstanceContext } from "./instance-context.js";
import type { Transport } from "./process/launch.js";
import { ServerEnd } from "./process/server-end.js";
import { ReadinessState } from "./readiness.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  LanguageServer,
  OpenDocument,
  Readiness,
  RequestOptions,
  ServerReply,
  ServerStatus,
  Withheld,
  WorkspaceDiagnosticsReport,
} from "./types.js";
import { cancelled } from "./wire/cancel.js";
import { type FolderParams, folderParams, shakeHands } from "./wire/handshake.js";
import { Incoming } from "./wire/incoming.js";
import { type Asking, ask } from "./wire/requests.js";
import { Wire } from "./wire/wire.js";

export class Instance {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly generation: number;
  readonly startedAt = performance.now();
  readonly #context: InstanceContext;
  readonly #transport: Transport;
  readonly #wire: Wire;
  readonly #capabilities: Capabilities;
  readonly #readiness: ReadinessState;
  readonly #files: ServerFiles;
  readonly #incoming: Incoming;
  readonly #asking: Asking;
  readonly #end: ServerEnd;
  #encoding: PositionEncoding = "utf-16";
  #serverVersion: string | null = null;
  /** What went wrong last, though the server lives on. */
  #trouble: string | null = null;

  constructor(context: InstanceContext, transport: Transport) {
    const { plan, root, roots, limits } = context;
    this.#context = context;
    this.#transport = transport;
    this.plan = plan;
    this.root = root;
    this.generation = context.generation;
    this.#capabilities = new Capabilities(plan);
    this.#readiness = new ReadinessState(plan.ready);
    this.#readiness.foldersAdded(new Set([root, ...context.folders]).size - 1);
    this.#wire = new Wire(transport, {
      name: plan.id,
      maxBytes: limits.maxMessageBytes,
      trace: context.trace,
      onSkipped: ({ kind, text }) => {
        transport.stderr.note(`[${kind}] ${text}`);
        if (kind !== "junk") this.#trouble = `server "${plan.id}" sent ${text}`;
      },
      onLate: ({ message }) => {
        this.#trouble = message;
      },
      onRequest: (method, params) => this.#incoming.request(method, params),
      onNotification: (method, params) => this.#incoming.notification(method, params),
    });
    this.#asking = {
      name: plan.id,
      roots,
      wire: this.#wire,
      readiness: this.#readiness,
      tellsProgress: (method) => this.#capabilities.tellsProgress(method),
      warmupMs: plan.warmupTimeoutMs,
    };
    this.#files = new ServerFiles({
      server: context,
      capabilities: this.#capabilities,
      readiness: this.#readiness,
      encoding: () => this.#encoding,
      notify: (method, params) => this.#wire.notify(method, params),
      request: (method, params, options) => this.#ask(method, params, options),
    });
    this.#incoming = new Incoming({
      ...context,
      capabilities: this.#capabilities,
      readiness: this.#readiness,
      diagnostics: this.#files.diagnostics,
      settings: () => context.told.settings,
      folders: () => this.#folders(),
      notify: (method, params) => this.#wire.notify(method, params),
    });
    this.#end = new ServerEnd({ name: plan.id, wire: this.#wire, transport, readiness: this.#readiness });
  }

  get encoding(): PositionEncoding {
    return this.#encoding;
  }
  get readiness(): Readiness {
    return this.#readiness.now;
  }
  get memoryMb(): number | null {
    return this.#transport.memoryMb();
  }
  get processes(): number | null {
    return this.#transport.processes();
  }
  /** The last lines beside the protocol. */
  get stderr(): string[] {
    return this.#transport.stderr.lines;
  }
  /** Questions that wait for an answer, and waits for diagnostics that the server will send unasked. */
  get pending(): number {
    return this.#wire.pending + this.#files.waits;
  }
  /** Whether files under its roots may change unseen. */
  get unwatched(): boolean {
    return this.#files.areUnwatched;
  }
  /** Absolute folders, ignored by git, in which files may be written unseen. */
  get notWatched(): string[] {
    return this.#files.notWatched;
  }
  /** Absolute folders of PATH that it was started without, since the workspace is not trusted. */
  get withheld(): readonly Withheld[] {
    return this.#transport.withheld ?? [];
  }
  get dead(): boolean {
    return this.#end.begun;
  }
  /** Resolves, with the reason, when the process is gone. */
  get over(): Promise<string> {
    return this.#wire.over;
  }

  /** What can be told of it now. */
  get status(): Omit<ServerStatus, "id" | "root" | "otherRoots" | "state" | "lastUsedMs" | "restarts"> {
    return {
      readiness: this.readiness,
      pid: this.#transport.pid,
      version: this.#serverVersion,
      uptimeMs: Math.round(performance.now() - this.startedAt),
      openDocuments: this.#files.open,
      pendingRequests: this.pending,
      memoryMb: this.memoryMb,
      locked: this.#transport.isLocked || null,
      encoding: this.#encoding,
      features: this.#capabilities.features(),
      progress: this.#readiness.text,
      notWatched: this.notWatched,
      lastError: this.#trouble,
      stderr: this.stderr,
    };
  }

  /** The handshake; after it the server may be asked. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { root, told, version, effects } = this.#context;
    const about = { root, options: told.options, folders: this.#folders(), version, effects };
    const { capabilities, encoding, serverVersion } = await shakeHands(
      this.plan,
      this.#asking,
      about,
      signal,
    );
    this.#capabilities.offered = capabilities;
    this.#encoding = encoding;
    this.#serverVersion = serverVersion;
    this.#wire.notify("initialized", {});
    const { settings } = this.#context.told;
    if (this.plan.pushSettings && Object.keys(settings).length > 0)
      this.#wire.notify("workspace/didChangeConfiguration", { settings });
    this.#readiness.initialized();
  }

  supports(method: string, document?: OpenDocument): boolean {
    return this.#capabilities.supports(method, document);
  }

  offers(
    ...[method, document, { signal, timeoutMs }]: Parameters<LanguageServer["offers"]>
  ): boolean | Promise<boolean> {
    const waitMs = Math.min(this.plan.warmupTimeoutMs, timeoutMs);
    return this.#capabilities.offers(method, document, waitMs, signal);
  }

  options(method: string, document?: OpenDocument): unknown[] {
    return this.#capabilities.options(method, document);
  }

  /** Whether the server takes further roots while it runs. */
  get takesFolders(): boolean {
    return takesFolders(this.plan, this.#capabilities);
  }

  /** Tells the server of one more root. */
  addFolder(path: string): void {
    if (path === this.root || this.#context.folders.includes(path)) return;
    this.#context.folders.push(path);
    this.#readiness.foldersAdded(1);
    const event = { added: [folderParams(path)], removed: [] };
    this.#wire.notify("workspace/didChangeWorkspaceFolders", { event });
  }

  /** Opens the document or brings it up to date, after everything else that changed was told. */
  async ensureOpen(path: string, signal: AbortSignal, checkedAt?: number): Promise<OpenDocument> {
    if (signal.aborted) throw cancelled(signal);
    this.#end.refuseWhenAsked();
    this.#wire.refuseWhenFull();
    return this.#files.ensureOpen(path, checkedAt);
  }

  opened(path: string): OpenDocument | undefined {
    return this.#files.opened(path);
  }

  wantedFiles(
    when: "will" | "did",
    operation: FileOperation,
    files: readonly OperatedFile[],
  ): OperatedFile[] {
    return wantedFiles(this.#capabilities, when, operation, files);
  }

  tellFiles(operation: FileOperation, files: readonly OperatedFile[]): void {
    const wanted = this.wantedFiles("did", operation, files);
    if (wanted.length > 0) this.#wire.notify(fileMethod("did", operation), fileParams(wanted));
  }

  textOf(uri: string): Promise<Lines | undefined> {
    return this.#files.textOf(uri);
  }

  settle(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    return this.#readiness.settle(timeoutMs, signal);
  }

  /** Sends a request, after the server was notified of changed files where it asks about the whole workspace. */
  async request(method: string, params: unknown, options: RequestOptions): Promise<ServerReply> {
    this.#end.refuseWhenAsked();
    if (!this.#capabilities.supports(method)) {
      throw new Refusal("lsp/not-supported", `server "${this.plan.id}" does not support ${method}`);
    }
    if (method === "workspace/symbol") await this.#files.refreshAndOpen(options.since);
    else if (method.startsWith("workspace/")) await this.#files.refresh(options.since);
    const { onApplyEdit } = options;
    const send = (): Promise<ServerReply> => this.#ask(method, params, options);
    return onApplyEdit === undefined ? send() : this.#incoming.applying(onApplyEdit, send);
  }

  async diagnostics(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    this.#end.refuseWhenAsked();
    return this.#files.report(document, options);
  }

  async workspaceDiagnostics(options: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport> {
    this.#end.refuseWhenAsked();
    return this.#files.reportAll(options);
  }

  /** Asks the server to end, then makes it; resolves when its whole process group is gone. */
  end(): Promise<void> {
    return this.#end.ask(() => this.#files.closeAll());
  }

  /** Ends the process group at once; what is pending is refused with this reason. */
  kill(reason: string): Promise<void> {
    return this.#end.force(reason);
  }

  async #ask(method: string, params: unknown, options: RequestOptions): Promise<ServerReply> {
    const limit = this.plan.requestTimeoutOverridesMs[method] ?? this.plan.requestTimeoutMs;
    const timeoutMs = Math.max(1, Math.min(limit, options.timeoutMs ?? limit));
    const path = documentOf(params);
    if (path === undefined) return ask(this.#asking, method, params, options, timeoutMs);
    return this.#files.held(path, (release) =>
      ask(this.#asking, method, params, options, timeoutMs, release),
    );
  }

  /** Notifies the server of what changed on disk; a check that began after `since` will do. */
  async refresh(since: number): Promise<void> {
    if (!this.dead) await this.#files.refresh(since);
  }

  #folders(): FolderParams[] {
    return [this.root, ...this.#context.folders].map(folderParams);
  }
}
