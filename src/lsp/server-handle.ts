/**
 * A server as a call sees it: the instance that runs now. When the server ends during a read of a document or of the
 * workspace, the read is sent once more to the next start. Everything else fails: commands, methods outside the
 * specification, and requests with items of the ended server.
 */
import type { TextDocumentIdentifier, TextDocumentPositionParams } from "vscode-languageserver-protocol";
import type { ServerPlan } from "../abi/plan.js";
import { fieldsOf } from "../base/json.js";
import { pathOfUri } from "../base/paths.js";
import { Refusal } from "../base/problem.js";
import type { Lines, PositionEncoding } from "../base/text.js";
import { cancelled, untilAborted } from "../base/timing.js";
import { readMethods } from "../protocol/methods.js";
import { type FileOperation, type OperatedFile, wantedFiles } from "./documents/file-operations.js";
import type { MakeTextFilter } from "./documents/outside-files.js";
import type { SearchableFiles } from "./documents/project-files.js";
import type { Instance } from "./instance.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  LanguageServer,
  OpenDocument,
  Readiness,
  ServerReply,
  ServerRequestOptions,
  Withheld,
  WorkspaceDiagnosticsReport,
} from "./types.js";

interface InstanceSource {
  /** The server in the plan of the pool that gives the handle. That of the instance may be earlier. */
  plan: ServerPlan;
  /** The running instance, started again when the last one has ended. */
  renew(signal: AbortSignal): Promise<Instance>;
  /** The reason of a crash in this generation or later, or of an earlier one that was not reported yet. */
  crashSince(generation: number): string | undefined;
  /** The roots that the session sees; undefined when it sees all. */
  roots: readonly string[] | undefined;
}

export class ServerHandle implements LanguageServer {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly #firstGeneration: number;
  /** The generation in which each document was last opened. */
  readonly #openedIn = new Map<string, number>();
  #instance: Instance;

  constructor(
    instance: Instance,
    private readonly source: InstanceSource,
  ) {
    this.plan = source.plan;
    this.root = instance.root;
    this.#instance = instance;
    this.#firstGeneration = instance.generation;
  }

  get encoding(): PositionEncoding {
    return this.#instance.encoding;
  }
  get generation(): number {
    return this.#instance.generation;
  }
  get readiness(): Readiness {
    return this.#instance.hasEnded ? "starting" : this.#instance.readiness.now;
  }
  get hasUnwatchedFiles(): boolean {
    return this.#instance.files.hasUnwatchedFiles;
  }
  get partlyWatchedFolders(): string[] {
    return this.#instance.files.partlyWatchedFolders;
  }
  get withheld(): readonly Withheld[] {
    return this.#instance.transport.withheld ?? [];
  }

  supports(method: string, document?: OpenDocument): boolean {
    return this.#instance.capabilities.supports(method, document, this.plan.customMethods);
  }

  offers(
    method: string,
    document: OpenDocument | undefined,
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ): Promise<boolean> {
    const waitMs = Math.min(this.plan.warmupTimeoutMs, timeoutMs);
    const { customMethods } = this.plan;
    return this.#instance.capabilities.offers(method, document, waitMs, signal, customMethods);
  }

  options(method: string, document?: OpenDocument): unknown[] {
    return this.#instance.capabilities.options(method, document);
  }

  opened(path: string): OpenDocument | undefined {
    return this.#instance.files.opened(path);
  }

  textOf(uri: string): Promise<Lines | undefined> {
    return this.#instance.files.textOf(uri);
  }

  wantedFiles(
    when: "will" | "did",
    operation: FileOperation,
    files: readonly OperatedFile[],
  ): OperatedFile[] {
    return wantedFiles(this.#instance.capabilities, when, operation, files);
  }

  tellFiles(operation: FileOperation, files: readonly OperatedFile[]): void {
    this.#instance.tellFiles(operation, files);
  }

  waitUntilReady(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    return this.#instance.readiness.waitUntilReady(timeoutMs, signal);
  }

  async ensureOpen(path: string, signal: AbortSignal, checkedAfter?: number): Promise<OpenDocument> {
    if (this.#instance.hasEnded) this.#instance = await this.source.renew(signal);
    const instance = this.#instance;
    instance.refuseWhenUnable(signal);
    const document = await untilAborted(signal, instance.files.ensureOpen(path, checkedAfter), cancelled);
    this.#openedIn.set(path, instance.generation);
    return document;
  }

  openProjects(
    makeFilter: MakeTextFilter,
    signal: AbortSignal,
    checkedAfter?: number,
  ): Promise<SearchableFiles> {
    return untilAborted(signal, this.#instance.files.openProjects(makeFilter, checkedAfter));
  }

  async request(method: string, params: unknown, given: ServerRequestOptions): Promise<ServerReply> {
    const options = this.#forSession(given);
    const { signal } = options;
    const path = documentOf(params);
    const send = async (isRetry: boolean): Promise<ServerReply> => {
      if (path !== undefined && (isRetry || this.#isOutdated(path))) await this.ensureOpen(path, signal);
      return this.#instance.request(method, params, options, this.plan.customMethods);
    };
    return isRepeatableRequest(method, params) ? this.#retryOnExit(signal, send) : send(false);
  }

  notifyAny(method: string, params: unknown): void {
    this.#instance.notifyAny(method, params);
  }

  async diagnostics(document: OpenDocument, given: DiagnosticsOptions): Promise<DiagnosticsReport> {
    const options = { ...given, roots: this.source.roots };
    const { path } = document;
    return this.#retryOnExit(options.signal, async (isRetry) => {
      const isOpen = !isRetry && !this.#isOutdated(path);
      const current = isOpen ? document : await this.ensureOpen(path, options.signal);
      return this.#instance.diagnostics(current, options);
    });
  }

  workspaceDiagnostics(given: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport> {
    const options = { ...given, roots: this.source.roots };
    return this.#retryOnExit(options.signal, () => this.#instance.workspaceDiagnostics(options));
  }

  crashNotice(): string | undefined {
    return this.source.crashSince(this.#firstGeneration);
  }

  /** A session limited to some roots does not see progress texts: they may name other roots. */
  #forSession(options: ServerRequestOptions): ServerRequestOptions {
    const { roots } = this.source;
    const { onProgress } = options;
    if (roots === undefined) return options;
    if (onProgress === undefined) return { ...options, roots };
    return { ...options, roots, onProgress: () => onProgress(`${this.plan.id} is working`) };
  }

  /** Runs a read once more on the next start when the server ends meanwhile. */
  async #retryOnExit<T>(signal: AbortSignal, read: (isRetry: boolean) => Promise<T>): Promise<T> {
    try {
      return await read(false);
    } catch (error) {
      if (!hasExited(error)) throw error;
    }
    this.#instance = await this.source.renew(signal);
    return read(true);
  }

  /** Whether a document was opened in an earlier start: another call may have restarted the server meanwhile. */
  #isOutdated(path: string): boolean {
    const generation = this.#openedIn.get(path);
    return generation !== undefined && generation !== this.generation;
  }
}

function hasExited(error: unknown): boolean {
  return error instanceof Refusal && error.code === "lsp/exited";
}

function isRepeatableRequest(method: string, params: unknown): boolean {
  return readMethods.has(method) && (method.startsWith("workspace/") || documentOf(params) !== undefined);
}

/** The file that the parameters of a request name. */
export function documentOf(params: unknown): string | undefined {
  const { textDocument } = fieldsOf<TextDocumentPositionParams>(params);
  return pathOfUri(fieldsOf<TextDocumentIdentifier>(textDocument).uri);
}
