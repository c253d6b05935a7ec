/**
 * One running server for one root: started, initialized, fed with documents, asked, and ended. It never restarts
 * itself; when its process is gone, everything that waits hears so at once.
 */
import { ResponseError } from "vscode-jsonrpc/node";
import type { ServerPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { Lines, PositionEncoding } from "../base/text.js";
import { answer } from "./answers.js";
import { Capabilities } from "./capabilities.js";
import { Diagnostics, type DiagnosticsOptions } from "./diagnostics.js";
import { Documents } from "./documents.js";
import {
  type FileOperation,
  fileMethod,
  fileParams,
  type OperatedFile,
  wantedFiles,
} from "./file-operations.js";
import { takesFolders } from "./folders.js";
import { forwarded } from "./forward.js";
import { Freshness } from "./freshness.js";
import { chosenEncoding, type FolderParams, folderParams, initializeParams } from "./handshake.js";
import { pathOfUri } from "./inside.js";
import type { InstanceContext } from "./instance-context.js";
import { type Transport, withNamedPaths } from "./launch.js";
import { ReadinessState } from "./readiness.js";
import { type Asking, ask, refusalOf } from "./requests.js";
import type {
  ApplyEdit,
  DiagnosticsReport,
  OpenDocument,
  Readiness,
  RequestOptions,
  ServerReply,
  WorkspaceDiagnosticsReport,
} from "./types.js";
import { cancelled, Wire } from "./wire.js";

const SHUTDOWN_MS = 2_000;
const EXIT_MS = 1_000;

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
  readonly #documents: Documents;
  readonly #diagnostics: Diagnostics;
  readonly #freshness: Freshness;
  readonly #asking: Asking;
  #encoding: PositionEncoding = "utf-16";
  #serverVersion: string | null = null;
  /** Those who take the edits of a command that runs now, the latest last. */
  readonly #appliers: ApplyEdit[] = [];
  #ending = false;
  #waits = 0;

  constructor(context: InstanceContext, transport: Transport) {
    const { plan, root, roots, limits } = context;
    this.#context = context;
    this.#transport = transport;
    this.plan = plan;
    this.root = root;
    this.generation = context.generation;
    this.#capabilities = new Capabilities(plan);
    this.#readiness = new ReadinessState(plan.ready);
    this.#wire = new Wire(transport, {
      name: plan.id,
      maxBytes: limits.maxMessageBytes,
      trace: context.trace,
      onSkipped: ({ kind, text }) => transport.stderr.note(`[${kind}] ${text}`),
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => this.#notified(method, params),
    });
    this.#asking = {
      name: plan.id,
      roots,
      wire: this.#wire,
      readiness: this.#readiness,
      warmupMs: plan.warmupTimeoutMs,
    };
    this.#documents = new Documents({
      server: plan,
      roots,
      capabilities: this.#capabilities,
      encoding: () => this.#encoding,
      maxOpen: limits.maxOpenDocuments,
      maxBytes: limits.maxFileBytes,
      notify: (method, params) => this.#tell(method, params),
      onChanged: (path, what) =>
        what === "changed" ? this.#diagnostics.changed(path) : this.#diagnostics.forget(path),
    });
    this.#diagnostics = new Diagnostics({
      capabilities: this.#capabilities,
      readiness: this.#readiness,
      current: (path) => this.#documents.get(path),
      touch: (path) => this.#documents.touch(path),
      request: (method, params, options) => this.#ask(method, params, options),
    });
    this.#freshness = new Freshness({
      plan,
      own: () => [root, ...context.folders],
      roots,
      watch: context.watch,
      documents: this.#documents,
      capabilities: this.#capabilities,
      maxOpened: Math.ceil(limits.maxOpenDocuments / 2),
      notify: (method, params) => this.#tell(method, params),
      onOthersChanged: () => this.#diagnostics.changed(undefined),
    });
    void this.#wire.over.then((reason) => {
      if (!this.#readiness.death)
        this.#readiness.died(new Refusal("lsp/exited", `server "${plan.id}" ${reason}`));
    });
  }

  get encoding(): PositionEncoding {
    return this.#encoding;
  }
  get readiness(): Readiness {
    return this.#readiness.now;
  }
  get progress(): string | null {
    return this.#readiness.text;
  }
  get serverVersion(): string | null {
    return this.#serverVersion;
  }
  get pid(): number | null {
    return this.#transport.pid;
  }
  get stderr(): string[] {
    return this.#transport.stderr.lines;
  }
  /** Questions that wait for an answer, and waits for diagnostics that the server will send unasked. */
  get pending(): number {
    return this.#wire.pending + this.#waits;
  }
  get openDocuments(): number {
    return this.#documents.count;
  }
  get features(): string[] {
    return this.#capabilities.features();
  }
  get dead(): boolean {
    return this.#ending || this.#wire.dead;
  }
  /** Resolves, with the reason, when the process is gone. */
  get over(): Promise<string> {
    return this.#wire.over;
  }

  /** The handshake; after it the server may be asked. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { plan, root } = this;
    const { version, effects } = this.#context;
    const params = initializeParams(plan, root, this.#folders(), version, effects);
    const result = await this.#wire
      .request("initialize", params, plan.initializeTimeoutMs, signal)
      .catch((error: unknown) => {
        throw error instanceof ResponseError ? refusalOf(this.#asking, "initialize", error) : error;
      });
    this.#capabilities.offered = isTable(result) ? result.capabilities : {};
    this.#encoding = chosenEncoding(this.#capabilities.at("positionEncoding"), plan.id);
    const info = isTable(result) && isTable(result.serverInfo) ? result.serverInfo.version : undefined;
    this.#serverVersion = typeof info === "string" ? info.slice(0, 100) : null;
    this.#wire.notify("initialized", {});
    const settings = this.#settings();
    if (Object.keys(settings).length > 0) this.#wire.notify("workspace/didChangeConfiguration", { settings });
    this.#readiness.initialized();
  }

  supports(method: string, document?: OpenDocument): boolean {
    return this.#capabilities.supports(method, document);
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
    const event = { added: [folderParams(path)], removed: [] };
    this.#wire.notify("workspace/didChangeWorkspaceFolders", { event });
  }

  /** Opens the document or brings it up to date, after everything else that changed was told. */
  async sync(path: string, signal: AbortSignal): Promise<OpenDocument> {
    if (signal.aborted) throw cancelled(signal);
    this.#refuseWhenEnding();
    this.#wire.refuseWhenFull();
    await this.#freshness.renew();
    return this.#documents.sync(path);
  }

  opened(path: string): OpenDocument | undefined {
    const document = this.#documents.get(path);
    return document && { ...document };
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
    if (wanted.length > 0) this.#tell(fileMethod("did", operation), fileParams(wanted));
  }

  async textOf(uri: string): Promise<Lines | undefined> {
    const path = pathOfUri(uri);
    return path === undefined ? undefined : this.#documents.textOf(path);
  }

  /** What is being shut down takes no more questions; whoever asks is sent on to the next start. */
  #refuseWhenEnding(): void {
    if (this.#ending) throw new Refusal("lsp/exited", `server "${this.plan.id}" was stopped`);
  }

  settle(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    return this.#readiness.settle(timeoutMs, signal);
  }

  async request(method: string, params: unknown, options: RequestOptions): Promise<ServerReply> {
    this.#refuseWhenEnding();
    if (!this.#capabilities.supports(method)) {
      throw new Refusal("lsp/not-supported", `server "${this.plan.id}" does not support ${method}`);
    }
    if (method.startsWith("workspace/")) await this.#freshness.renew();
    if (method === "workspace/symbol") await this.#freshness.openOne();
    if (options.onApplyEdit === undefined) return this.#ask(method, params, options);
    this.#appliers.push(options.onApplyEdit);
    try {
      return await this.#ask(method, params, options);
    } finally {
      this.#appliers.splice(this.#appliers.indexOf(options.onApplyEdit), 1);
    }
  }

  async diagnostics(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    this.#refuseWhenEnding();
    this.#waits++;
    try {
      return await this.#diagnostics.report(document, options);
    } finally {
      this.#waits--;
    }
  }

  async workspaceDiagnostics(options: {
    waitMs: number;
    signal: AbortSignal;
  }): Promise<WorkspaceDiagnosticsReport> {
    this.#refuseWhenEnding();
    await this.#freshness.renew();
    await this.#freshness.openOne();
    return this.#diagnostics.workspace(options, this.#documents.all);
  }

  /** Asks the server to end, then makes it; resolves when its whole process group is gone. */
  async end(): Promise<void> {
    if (this.#ending) return this.#transport.kill();
    this.#ending = true;
    if (this.#transport.pid !== null && !this.#wire.dead && this.readiness !== "starting") {
      // No parameters at all: TypeScript 7 rejects a null. Servers that know no shutdown are ended all the same.
      await this.#wire.request("shutdown", undefined, SHUTDOWN_MS).catch(() => undefined);
      this.#wire.notify("exit");
      await Promise.race([this.#transport.ended, new Promise((done) => setTimeout(done, EXIT_MS).unref())]);
    }
    await this.kill("was stopped");
  }

  /** Ends the process group at once; what is pending is refused with this reason. */
  async kill(reason: string): Promise<void> {
    this.#ending = true;
    const death = new Refusal("lsp/exited", `server "${this.plan.id}" ${reason}`);
    this.#wire.fail(death);
    this.#readiness.died(death);
    await this.#transport.kill();
  }

  #ask(method: string, params: unknown, options: RequestOptions): Promise<ServerReply> {
    const limit = this.plan.requestTimeoutOverridesMs[method] ?? this.plan.requestTimeoutMs;
    const timeoutMs = Math.max(1, Math.min(limit, options.timeoutMs ?? limit));
    return ask(this.#asking, method, params, { ...options, timeoutMs });
  }

  /** Tells of documents and files; opening one changes nothing that an answer could depend on. */
  #tell(method: string, params: unknown): void {
    if (method !== "textDocument/didOpen") this.#context.tally.told += 1;
    this.#wire.notify(method, params);
  }

  /** Brings the server up to date with the disk. */
  async refresh(): Promise<void> {
    if (!this.dead) await this.#freshness.renew();
  }

  #answer(method: string, params: unknown): unknown {
    this.#context.tally.heard += 1;
    return answer(
      {
        capabilities: this.#capabilities,
        settings: this.#settings(),
        replies: this.plan.replies,
        folders: this.#folders(),
        applyEdit: this.#appliers.at(-1),
        onRefresh: (refresh) => refresh === "workspace/diagnostic/refresh" && this.#diagnostics.refreshed(),
      },
      method,
      params,
    );
  }

  #notified(method: string, params: unknown): void {
    this.#context.tally.heard += 1;
    if (method === "textDocument/publishDiagnostics") this.#diagnostics.publish(params);
    this.#readiness.notified(method, params);
    for (const rule of this.plan.forward) {
      if (rule.notification !== method) continue;
      void forwarded(rule, params, this.#context.command).then((reply) =>
        this.#wire.notify(rule.reply, reply),
      );
    }
  }

  #settings(): ServerPlan["settings"] {
    return withNamedPaths(this.plan.settings, this.root);
  }

  #folders(): FolderParams[] {
    return [this.root, ...this.#context.folders].map(folderParams);
  }
}
