/**
 * Has a server check a file right after its text changed, where the plan knows a request for that. The answer is the
 * server's own word that it has found everything in this text; what it publishes then is complete, without a wait for
 * more that may come. A word that comes late, or while other files change too, counts for nothing: the server's own check
 * may have begun meanwhile and ended this one before its time.
 */

import type { CheckPlan } from "../../abi/plan.js";
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { OpenDocument } from "../types.js";
import type { DiagnosticsRequest } from "./pull-document.js";

/** A change of other files is taken in by then, or as far as it ever is. */
const OTHERS_MS = 5_000;
/** Every server refuses a request with such a name at once, and has then done what was due before. */
const PING = "$/lsp-proxy/ping";
/** Whoever is asked between two rounds of events may have yet to see what is due; the second time it has. */
const PINGS = 2;

/** What is known of the check of one text. */
export interface Checked {
  /** When the server said that it has found everything; undefined before. */
  answeredAt: number | undefined;
  /** Whether everything that it found is published. */
  isOver: boolean;
}

interface Check extends Checked {
  version: number;
  /** Number of changes that the server had been told. */
  changes: number;
}

export interface CheckedFilesContext {
  plan: CheckPlan | null;
  request: DiagnosticsRequest;
  /** Hears when something is known. */
  onNews: () => void;
}

/** The checks of one server. */
export class CheckedFiles {
  readonly #context: CheckedFilesContext;
  readonly #checks = new Map<string, Check>();
  /** When texts were last told, by path; those of files that are not open under "". */
  readonly #toldAt = new Map<string, number>();
  #changes = 0;
  #isChecking = false;

  constructor(context: CheckedFilesContext) {
    this.#context = context;
  }

  /** The server was told the text of a document, or (undefined) that other files changed. */
  told(path: string | undefined): void {
    if (this.#context.plan === null) return;
    const now = performance.now();
    this.#changes++;
    for (const [other, at] of this.#toldAt) if (now - at > OTHERS_MS) this.#toldAt.delete(other);
    this.#toldAt.set(path ?? "", now);
    this.#checks.delete(path ?? "");
  }

  /** What is known of the check of this very text; undefined when there is none that counts. */
  of({ path, version }: OpenDocument): Checked | undefined {
    const check = this.#checks.get(path);
    return check?.version === version && check.changes === this.#changes ? check : undefined;
  }

  /** Has the text checked, when it was told just now and nothing else was. */
  begin(document: OpenDocument, signal: AbortSignal): void {
    const { plan } = this.#context;
    const { path, version } = document;
    const toldAt = this.#toldAt.get(path);
    if (plan === null || toldAt === undefined || this.#isChecking || this.of(document)) return;
    const now = performance.now();
    const isAlone = [...this.#toldAt].every(([other, at]) => other === path || now - at > OTHERS_MS);
    if (!isAlone || now - toldAt >= plan.withinMs) return;
    const check: Check = { version, changes: this.#changes, answeredAt: undefined, isOver: false };
    this.#checks.set(path, check);
    this.#isChecking = true;
    this.#run(plan, check, document, toldAt, signal)
      .catch(() => undefined)
      .finally(() => this.#context.onNews());
  }

  async #run(
    plan: CheckPlan,
    check: Check,
    document: OpenDocument,
    toldAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { request, onNews } = this.#context;
    const timeoutMs = plan.withinMs;
    try {
      await request(plan.method, filled(plan.params, document), { signal, timeoutMs });
    } finally {
      this.#isChecking = false;
    }
    if (performance.now() - toldAt > plan.withinMs) return;
    check.answeredAt = performance.now();
    onNews();
    // The server's own pause before it publishes; that it is over is known by what it answers after it.
    await new Promise((done) => setTimeout(done, plan.pauseMs));
    for (let ping = 0; ping < PINGS; ping++)
      await request(PING, undefined, { signal, timeoutMs: OTHERS_MS }).catch(ignoreRefused);
    check.isOver = true;
  }
}

/** A refusal of the request is an answer too; that there was none is not. */
function ignoreRefused(error: unknown): void {
  if (!(error instanceof Refusal) || !["lsp/not-supported", "lsp/failed"].includes(error.code)) throw error;
}

/** The parameters with the document's names in place of their words. */
function filled(value: Json, document: OpenDocument): Json {
  if (typeof value === "string")
    return value.replaceAll("<file>", document.path).replaceAll("<uri>", document.uri);
  if (Array.isArray(value)) return value.map((item) => filled(item, document));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, document)]));
}
