/**
 * One running server for one root: initialize, documents, requests, diagnostics, shutdown. It never restarts itself;
 * when its process ends, everything that waits for it is refused at once.
 */
import { basename } from "node:path";
import type { WorkspaceFolder } from "vscode-languageserver-protocol";
import type { Effect, LimitsPlan, ServerPlan } from "../abi/plan.js";
import { fileUri } from "../base/paths.js";
import { Refusal } from "../base/problem.js";
import type { PositionEncoding } from "../base/text.js";
import { cancelled } from "../base/timing.js";
import type { Notify } from "../protocol/notifications.js";
import { Capabilities } from "./capabilities.js";
import {
  type FileOperation,
  fileMethod,
  fileParams,
  type OperatedFile,
  wantedFiles,
} from "./documents/file-operations.js";
import { ServerFiles } from "./documents/server-files.js";
import { ServerShutdown } from "./instance-lifetime.js";
import type { Transport } from "./process/launch.js";
import type { LaunchSettings } from "./process/launch-settings.js";
import { ReadinessState } from "./readiness.js";
import { documentOf } from "./server-handle.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  Log,
  OpenDocument,
  ServerReply,
  ServerRequestOptions,
  ServerStatus,
  Trace,
  WorkspaceDiagnosticsReport,
} from "./types.js";
import type { WorkspaceWatch } from "./watch/workspace-watch.js";
import { ServerConnection } from "./wire/connection.js";
import { initializeServer } from "./wire/initialize.js";
import { ReadyRequest, type RequestTarget } from "./wire/ready-request.js";
import { ServerMessages } from "./wire/server-messages.js";

/** The part of the pool that one running server uses. */
export interface InstanceContext {
  plan: ServerPlan;
  root: string;
  launchSettings: LaunchSettings;
  /** Absolute further workspace folders: of the plan, and other roots that this instance serves. */
  folders: string[];
  roots: readonly string[];
  limits: LimitsPlan;
  /** Allowed effects: they limit the client capabilities. */
  effects: readonly Effect[];
  generation: number;
  version: string;
  watch: WorkspaceWatch;
  unsaved?: ReadonlyMap<string, string> | undefined;
  onActivity?: (() => void) | undefined;
  log: Log;
  trace: Trace | undefined;
  mayEndStuck: RequestTarget["mayEndStuck"];
  /** Runs a command in another server, for the plan's `forward` rules. */
  command: (serverId: string, command: string, args: unknown[]) => Promise<unknown>;
}

export class Instance {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly generation: number;
  readonly capabilities: Capabilities;
  readonly readiness: ReadinessState;
  readonly files: ServerFiles;
  readonly startedAt = performance.now();
  readonly #connection: ServerConnection;
  readonly #messages: ServerMessages;
  readonly #target: RequestTarget;
  readonly #shutdown: ServerShutdown;
  readonly #notify: Notify = (method, params) => this.#connection.notify(method, params);
  encoding: PositionEncoding = "utf-16";
  #serverVersion: string | null = null;
  /** The last error that the server survived. */
  #lastError: string | null = null;

  constructor(
    private readonly context: InstanceContext,
    readonly transport: Transport,
  ) {
    const { plan, root, roots, limits } = context;
    this.plan = plan;
    this.root = root;
    this.generation = context.generation;
    const capabilities = new Capabilities(plan, (message, data) =>
      context.log("warn", message, { server: plan.id, ...data }),
    );
    const readiness = new ReadinessState(plan.ready);
    readiness.foldersAdded(new Set([root, ...context.folders]).size - 1);
    this.capabilities = capabilities;
    this.readiness = readiness;
    this.#connection = new ServerConnection(transport, {
      name: plan.id,
      maxBytes: limits.maxMessageBytes,
      neverCancel: plan.neverCancel,
      trace: context.trace,
      onSkipped: ({ kind, text }) => {
        transport.stderr.note(`[${kind}] ${text}`);
        if (kind !== "junk") this.#lastError = `server "${plan.id}" sent ${text}`;
      },
      onTimeout: ({ message }) => {
        this.#lastError = message;
      },
      onRequest: (method, params) => this.#messages.request(method, params),
      onNotification: (method, params) => this.#notified(method, params),
    });
    this.#target = {
      name: plan.id,
      roots,
      connection: this.#connection,
      readiness,
      reportsProgress: (method) => capabilities.reportsProgress(method),
      warmupMs: plan.warmupTimeoutMs,
      mayEndStuck: context.mayEndStuck,
      end: (reason) => this.kill(reason),
    };
    this.files = new ServerFiles({
      server: context,
      capabilities,
      readiness,
      encoding: () => this.encoding,
      notify: this.#notify,
      request: (method, params, options) => this.#send(method, params, options),
    });
    this.#messages = new ServerMessages({
      ...context,
      capabilities,
      readiness,
      diagnostics: this.files.diagnostics,
      settings: context.launchSettings,
      folders: () => this.#folders(),
      notifyAny: (method, params) => this.#connection.notify(method, params),
    });
    this.#shutdown = new ServerShutdown(this, this.#connection);
  }

  /** The last lines that it wrote beside the protocol. */
  get stderr(): string[] {
    return this.transport.stderr.lines;
  }
  /** Pending requests, and waits for diagnostics that the server pushes. */
  get pending(): number {
    return this.#connection.pending + this.files.pendingReports;
  }
  get hasEnded(): boolean {
    return this.#shutdown.isStopping || this.#connection.hasFailed;
  }
  get ended(): Promise<string> {
    return this.#connection.ended;
  }

  get status(): Omit<
    ServerStatus,
    "id" | "root" | "otherRoots" | "state" | "lastUsedMs" | "restarts" | "advisesInstall"
  > {
    return {
      readiness: this.readiness.now,
      pid: this.transport.pid,
      version: this.#serverVersion,
      uptimeMs: Math.round(performance.now() - this.startedAt),
      openDocuments: this.files.open,
      pendingRequests: this.pending,
      memoryMb: this.transport.memoryMb(),
      locked: this.transport.isLocked || null,
      encoding: this.encoding,
      features: this.capabilities.features(),
      progress: this.readiness.text,
      partlyWatchedFolders: this.files.partlyWatchedFolders,
      lastError: this.#lastError,
      stderr: this.stderr,
    };
  }

  async initialize(signal: AbortSignal): Promise<void> {
    const { settings, options } = this.context.launchSettings;
    const context = { ...this.context, options, folders: this.#folders() };
    const result = await initializeServer(this.#connection, context, signal);
    this.capabilities.offered = result.capabilities;
    this.encoding = result.encoding;
    this.#serverVersion = result.serverVersion;
    this.#notify("initialized", {});
    if (this.plan.pushSettings && Object.keys(settings).length > 0)
      this.#notify("workspace/didChangeConfiguration", { settings });
    this.readiness.initialized();
  }

  addFolder(path: string): void {
    if (path === this.root || this.context.folders.includes(path)) return;
    this.context.folders.push(path);
    this.readiness.foldersAdded(1);
    const event = { added: [workspaceFolder(path)], removed: [] };
    this.#notify("workspace/didChangeWorkspaceFolders", { event });
  }

  /** Refuses when the caller has given up, during the shutdown, and when too many requests are pending. */
  refuseWhenUnable(signal: AbortSignal): void {
    if (signal.aborted) throw cancelled(signal);
    this.#refuseWhenStopping();
    this.#connection.refuseWhenFull();
  }

  /** Refuses during the shutdown; the caller goes on to the next start. */
  #refuseWhenStopping(): void {
    if (this.#shutdown.isStopping) throw this.#shutdown.refusal("was stopped");
  }

  tellFiles(operation: FileOperation, files: readonly OperatedFile[]): void {
    const wanted = wantedFiles(this.capabilities, "did", operation, files);
    if (wanted.length > 0) this.#notify(fileMethod("did", operation), fileParams(wanted));
  }

  /** Sends a request. Before one about the whole workspace the server is notified of changed files. */
  async request(
    method: string,
    params: unknown,
    options: ServerRequestOptions,
    declared?: ServerPlan["customMethods"],
  ): Promise<ServerReply> {
    this.#refuseWhenStopping();
    if (!this.capabilities.supports(method, undefined, declared)) {
      throw new Refusal("lsp/not-supported", `server "${this.plan.id}" does not support ${method}`);
    }
    if (method === "workspace/symbol") await this.files.refreshAndOpen(options.checkedAfter);
    else if (method.startsWith("workspace/")) await this.files.refresh(options.checkedAfter);
    const { onApplyEdit } = options;
    if (onApplyEdit === undefined) return this.#send(method, params, options);
    return this.#messages.whileApplying(onApplyEdit, () => this.#send(method, params, options));
  }

  notifyAny(method: string, params: unknown): void {
    this.#refuseWhenStopping();
    this.#connection.notify(method, params);
  }

  async diagnostics(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    this.#refuseWhenStopping();
    return this.files.report(document, options);
  }

  async workspaceDiagnostics(options: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport> {
    this.#refuseWhenStopping();
    return this.files.reportAll(options);
  }

  /** Shuts the server down; resolves when its process group is gone. */
  end(): Promise<void> {
    return this.#shutdown.stop(() => this.files.closeAll());
  }

  /** Kills the process group at once; pending requests are refused with this reason. */
  kill(reason: string): Promise<void> {
    return this.#shutdown.kill(reason);
  }

  /** Sends a request. The document that it names stays open meanwhile. */
  async #send(method: string, params: unknown, options: ServerRequestOptions): Promise<ServerReply> {
    const limit = this.plan.requestTimeoutOverridesMs[method] ?? this.plan.requestTimeoutMs;
    const timeoutMs = Math.max(1, Math.min(limit, options.timeoutMs ?? limit));
    const path = documentOf(params);
    try {
      if (path !== undefined) await this.files.hold(path);
      return await new ReadyRequest(this.#target, { method, params, options, timeoutMs }).run();
    } finally {
      if (path !== undefined) this.files.release(path);
    }
  }

  /** Notifies the server of what changed on disk, unless a check after this time did. */
  async refresh(checkedAfter: number): Promise<void> {
    if (!this.hasEnded) await this.files.refresh(checkedAfter);
  }

  #notified(method: string, params: unknown): void {
    if (method === "textDocument/publishDiagnostics") this.files.diagnostics.publish(params);
    this.readiness.notified(method, params);
    if (this.plan.forward.length > 0) this.#messages.forward(method, params);
  }

  #folders(): WorkspaceFolder[] {
    return [this.root, ...this.context.folders].map(workspaceFolder);
  }
}

function workspaceFolder(path: string): WorkspaceFolder {
  return { uri: fileUri(path), name: basename(path) };
}
