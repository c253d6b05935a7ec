/**
 * A server as a call sees it: the instance that runs now, whichever start that is. When the server dies in the middle
 * of a read that points at a document or asks the workspace, the read is asked once more of the next start; anything
 * else (commands, methods outside the specification, items that the dead server made) fails.
 */

import type { ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import type { Lines, PositionEncoding } from "../base/text.js";
import type { FileOperation, OperatedFile } from "./documents/file-operations.js";
import { documentOf } from "./inside.js";
import type { Instance } from "./instance.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  LanguageServer,
  OpenDocument,
  Readiness,
  RequestOptions,
  ServerReply,
  Withheld,
  WorkspaceDiagnosticsReport,
} from "./types.js";
import { isRead } from "./wire/requests.js";

/** Where a handle's instances come from. */
export interface InstanceSource {
  /** The running instance, started anew when the last one is gone. */
  renew(signal: AbortSignal): Promise<Instance>;
  /** Why an instance ended unasked, that of this generation or a later one, or an earlier one nobody heard of. */
  newsSince(generation: number): string | undefined;
  /** The roots of whoever asks, where they see less than the workspace. */
  roots: readonly string[] | undefined;
}

export class Handle implements LanguageServer {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly #source: InstanceSource;
  readonly #firstGeneration: number;
  /** In which start each document was shown last. */
  readonly #shown = new Map<string, number>();
  #instance: Instance;

  constructor(instance: Instance, source: InstanceSource) {
    this.plan = instance.plan;
    this.root = instance.root;
    this.#instance = instance;
    this.#firstGeneration = instance.generation;
    this.#source = source;
  }

  get encoding(): PositionEncoding {
    return this.#instance.encoding;
  }
  get generation(): number {
    return this.#instance.generation;
  }
  /** Of one that is gone the next start is what is waited for. */
  get readiness(): Readiness {
    return this.#instance.dead ? "starting" : this.#instance.readiness;
  }

  get unwatched(): boolean {
    return this.#instance.unwatched;
  }

  get notWatched(): string[] {
    return this.#instance.notWatched;
  }

  get withheld(): readonly Withheld[] {
    return this.#instance.withheld;
  }

  supports(method: string, document?: OpenDocument): boolean {
    return this.#instance.supports(method, document);
  }

  offers(...words: Parameters<LanguageServer["offers"]>): boolean | Promise<boolean> {
    return this.#instance.offers(...words);
  }

  options(method: string, document?: OpenDocument): unknown[] {
    return this.#instance.options(method, document);
  }

  opened(path: string): OpenDocument | undefined {
    return this.#instance.opened(path);
  }

  textOf(uri: string): Promise<Lines | undefined> {
    return this.#instance.textOf(uri);
  }

  wantedFiles(
    when: "will" | "did",
    operation: FileOperation,
    files: readonly OperatedFile[],
  ): OperatedFile[] {
    return this.#instance.wantedFiles(when, operation, files);
  }

  tellFiles(operation: FileOperation, files: readonly OperatedFile[]): void {
    this.#instance.tellFiles(operation, files);
  }

  settle(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    return this.#instance.settle(timeoutMs, signal);
  }

  async ensureOpen(path: string, signal: AbortSignal, checkedAt?: number): Promise<OpenDocument> {
    if (this.#instance.dead) await this.#again(undefined, signal);
    return this.#show(path, signal, checkedAt);
  }

  async request(method: string, params: unknown, asked: RequestOptions): Promise<ServerReply> {
    const options = this.#asked(asked);
    const path = documentOf(params);
    try {
      if (path !== undefined && this.#isOutdated(path)) await this.#show(path, options.signal);
      return await this.#instance.request(method, params, options);
    } catch (error) {
      if (!isDeath(error) || !isRepeatable(method, params)) throw error;
      await this.#again(path, options.signal);
      return this.#instance.request(method, params, options);
    }
  }

  async diagnostics(document: OpenDocument, asked: DiagnosticsOptions): Promise<DiagnosticsReport> {
    const options = { ...asked, roots: this.#source.roots };
    try {
      const isOutdated = this.#isOutdated(document.path);
      const shown = isOutdated ? await this.#show(document.path, options.signal) : document;
      return await this.#instance.diagnostics(shown, options);
    } catch (error) {
      if (!isDeath(error)) throw error;
      await this.#again(undefined, options.signal);
      const renewed = await this.#show(document.path, options.signal);
      return this.#instance.diagnostics(renewed, options);
    }
  }

  async workspaceDiagnostics(asked: DiagnosticsOptions): Promise<WorkspaceDiagnosticsReport> {
    const options = { ...asked, roots: this.#source.roots };
    try {
      return await this.#instance.workspaceDiagnostics(options);
    } catch (error) {
      if (!isDeath(error)) throw error;
      await this.#again(undefined, options.signal);
      return this.#instance.workspaceDiagnostics(options);
    }
  }

  restartNews(): string | undefined {
    return this.#source.newsSince(this.#firstGeneration);
  }

  /** A question of one who sees a part: what the server is at is told without its words, which may be about the rest. */
  #asked(options: RequestOptions): RequestOptions {
    const { roots } = this.#source;
    const { onProgress } = options;
    if (roots === undefined) return options;
    if (onProgress === undefined) return { ...options, roots };
    return { ...options, roots, onProgress: () => onProgress(`${this.plan.id} is at work`) };
  }

  async #again(path: string | undefined, signal: AbortSignal): Promise<void> {
    this.#instance = await this.#source.renew(signal);
    if (path !== undefined) await this.#show(path, signal);
  }

  /** Opens a document in the instance that runs now, and remembers in which one that was. */
  async #show(path: string, signal: AbortSignal, checkedAt?: number): Promise<OpenDocument> {
    const instance = this.#instance;
    const document = await instance.ensureOpen(path, signal, checkedAt);
    this.#shown.set(path, instance.generation);
    return document;
  }

  /** Somebody else who shares this handle may have got it a new start, which has none of the old one's documents. */
  #isOutdated(path: string): boolean {
    const generation = this.#shown.get(path);
    return generation !== undefined && generation !== this.generation;
  }
}

function isDeath(error: unknown): boolean {
  return error instanceof Refusal && error.code === "lsp/exited";
}

function isRepeatable(method: string, params: unknown): boolean {
  return isRead(method) && (method.startsWith("workspace/") || documentOf(params) !== undefined);
}
