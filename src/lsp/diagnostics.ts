/**
 * Diagnostics of one document with three outcomes: found, clean, unknown. Pulled where the server offers it; else the
 * push for the very version that was sent, settled; both together where a server does both. What was published before
 * a change never counts as an answer after it.
 */
import { canonicalText, isTable, type Json } from "../base/json.js";
import { uniqueBy } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { cancelled } from "./cancel.js";
import type { Capabilities } from "./capabilities.js";
import { pathOfUri } from "./inside.js";
import { identifierOf, PulledReports } from "./pulled-reports.js";
import type { ReadinessState } from "./readiness.js";
import type {
  DiagnosticsReport,
  OpenDocument,
  PartTaker,
  Readiness,
  WorkspaceDiagnosticsReport,
} from "./types.js";
import { workspaceDiagnostics } from "./workspace-diagnostics.js";

const FIRST_TOUCH_MS = 10_000;

export interface DiagnosticsContext {
  capabilities: Capabilities;
  readiness: ReadinessState;
  /** The document as the server has it now. */
  current: (path: string) => OpenDocument | undefined;
  /** Sends the document again, so that the server looks at it anew. */
  touch: (path: string) => void;
  request: (
    method: string,
    params: unknown,
    options: { signal: AbortSignal; timeoutMs: number; parts?: PartTaker },
  ) => Promise<{ value: unknown; readiness: Readiness }>;
}

interface Published {
  items: Json[];
  version: number | undefined;
  at: number;
  /** Number of changes that the server had been told when this came. */
  change: number;
}

export interface DiagnosticsOptions {
  waitMs: number;
  settleMs: number;
  signal: AbortSignal;
}

export class Diagnostics {
  readonly #context: DiagnosticsContext;
  readonly #pulled = new PulledReports();
  readonly #published = new Map<string, Published>();
  /** What a server said before a change that it may not repeat after it. */
  readonly #outdated = new Map<string, Published>();
  readonly #listeners = new Set<() => void>();
  readonly #answered = new Set<string>();
  #change = 0;

  constructor(context: DiagnosticsContext) {
    this.#context = context;
  }

  /** The server was told of a change: of a document's own text, or (undefined) of other files. */
  changed(path: string | undefined): void {
    this.#change++;
    if (path === undefined) return;
    this.#published.delete(path);
    this.#outdated.delete(path);
  }

  /** What the server has of a document begins anew, without a change of content. */
  forget(path: string): void {
    this.#published.delete(path);
    this.#outdated.delete(path);
  }

  /** The server asked to be asked again: nothing remembered may be called unchanged. */
  refreshed(): void {
    this.#pulled.clear();
  }

  /** What is known of all files, waited for at most `waitMs`; `open` are those that the server was shown. */
  async workspace(
    options: { waitMs: number; signal: AbortSignal },
    open: readonly OpenDocument[],
  ): Promise<WorkspaceDiagnosticsReport> {
    const published = new Map([...this.#published].map(([path, { items }]) => [path, items]));
    const { capabilities } = this.#context;
    const deadline = performance.now() + options.waitMs;
    // A server that is asked file by file has published nothing; what it was shown is known all the same.
    const asked = capabilities.supports("workspace/diagnostic") ? [] : open;
    for (const document of capabilities.allows("diagnostics") ? asked : []) {
      if (!this.#pulls(document) || performance.now() >= deadline) continue;
      const { items } = await this.#pull(document, deadline, options.signal);
      published.set(document.path, items);
    }
    return workspaceDiagnostics({ ...this.#context, pulled: this.#pulled, published }, options);
  }

  /** Takes a `textDocument/publishDiagnostics`. */
  publish(params: unknown): void {
    if (!isTable(params) || !Array.isArray(params.diagnostics)) return;
    const path = pathOfUri(params.uri);
    if (path === undefined) return;
    const version = typeof params.version === "number" ? params.version : undefined;
    const document = this.#context.current(path);
    if (version !== undefined && document && version !== document.version) return;
    const items = params.diagnostics as Json[];
    this.#published.set(path, { items, version, at: performance.now(), change: this.#change });
    for (const listener of [...this.#listeners]) listener();
  }

  /** What is known of a document, waited for at most `waitMs`; twice that, up to 10 s, the first time. */
  async report(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    const { path } = document;
    if (!this.#context.capabilities.allows("diagnostics")) {
      return this.#unknown("the config does not ask this server for diagnostics", []);
    }
    const first = !this.#answered.has(path);
    const waitMs = first
      ? Math.max(options.waitMs, Math.min(2 * options.waitMs, FIRST_TOUCH_MS))
      : options.waitMs;
    const deadline = performance.now() + waitMs;
    const report = this.#pulls(document)
      ? await this.#pull(document, deadline, options.signal)
      : await this.#push(document, deadline, options);
    if (report.status !== "unknown") this.#answered.add(path);
    return report;
  }

  #pulls(document: OpenDocument): boolean {
    return this.#context.capabilities.supports("textDocument/diagnostic", document);
  }

  async #pull(document: OpenDocument, deadline: number, signal: AbortSignal): Promise<DiagnosticsReport> {
    const providers = this.#context.capabilities.options("textDocument/diagnostic", document);
    const items: Json[] = [];
    try {
      for (const provider of providers) {
        items.push(...(await this.#pullOne(document, identifierOf(provider), deadline, signal)));
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === "call/cancelled" || error.code === "lsp/exited")
        throw error;
      return this.#unknown(error.message, this.#published.get(document.path)?.items ?? []);
    }
    const pushed = this.#published.get(document.path)?.items ?? [];
    return this.#told([...items, ...pushed]);
  }

  async #pullOne(
    document: OpenDocument,
    identifier: string | undefined,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Json[]> {
    const previousResultId = this.#pulled.resultId(identifier, document.path);
    const params = {
      textDocument: { uri: document.uri },
      ...(identifier === undefined ? {} : { identifier }),
      ...(previousResultId === undefined ? {} : { previousResultId }),
    };
    const timeoutMs = Math.max(1, deadline - performance.now());
    const { value } = await this.#context.request("textDocument/diagnostic", params, { signal, timeoutMs });
    return this.#pulled.keep(identifier, document.uri, value);
  }

  async #push(
    document: OpenDocument,
    deadline: number,
    options: DiagnosticsOptions,
  ): Promise<DiagnosticsReport> {
    const { path } = document;
    const { signal, settleMs } = options;
    const known = this.#published.get(path);
    if (known && known.change < this.#change) {
      // Other files changed since: asked again under a new version, the server says what holds now.
      this.#context.touch(path);
      this.#outdated.set(path, known);
    }
    for (;;) {
      if (this.#context.readiness.death) throw this.#context.readiness.death;
      if (this.#pulls(document)) return this.#pull(document, deadline, signal);
      const now = performance.now();
      const published = this.#published.get(path);
      const quiet = published ? published.at + settleMs - now : Number.POSITIVE_INFINITY;
      const indexing = this.#context.readiness.now === "indexing";
      if (published && quiet <= 0 && !indexing) return this.#told(published.items);
      if (now >= deadline) return this.#late(path, published);
      await this.#event(Math.min(indexing ? deadline - now : quiet, deadline - now), signal);
    }
  }

  /** The time is over: what was said for this version, or why nothing can be told. */
  #late(path: string, published: Published | undefined): DiagnosticsReport {
    if (published) return this.#told(published.items);
    const before = this.#outdated.get(path);
    if (before) {
      return this.#unknown(
        "other files changed, and the server did not say again what holds for this one",
        before.items,
      );
    }
    return this.#unknown("the server has published nothing for this version of the file", []);
  }

  #told(items: Json[]): DiagnosticsReport {
    const unique = uniqueBy(items, canonicalText);
    const readiness = this.#context.readiness.now;
    if (unique.length > 0) return { status: "diagnostics", why: "", items: unique, readiness };
    if (readiness === "indexing") return this.#unknown("the server is still indexing", []);
    this.#context.readiness.answered();
    return { status: "clean", why: "", items: [], readiness: this.#context.readiness.now };
  }

  #unknown(why: string, items: Json[]): DiagnosticsReport {
    return { status: "unknown", why, items, readiness: this.#context.readiness.now };
  }

  /** Waits for a publish, a registration, a change of readiness, or the time. */
  #event(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(cancelled(signal));
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(wake);
        stops.forEach((stop) => {
          stop();
        });
        signal.removeEventListener("abort", onAbort);
        end();
      };
      const wake = (): void => finish(resolve);
      const onAbort = (): void => finish(() => reject(cancelled(signal)));
      const timer = setTimeout(wake, Math.max(1, Math.min(timeoutMs, 2 ** 30)));
      const stops = [this.#context.readiness.onChange(wake), this.#context.capabilities.onChange(wake)];
      this.#listeners.add(wake);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
