/**
 * Makes a server check a file right after its text changed, with a request that the plan names. The answer means that
 * the server has found everything in this text, so that what it publishes then is complete. A late answer, or one while
 * other files change too, does not count: the server's own check may have started meanwhile and replaced this one.
 */
import type { CheckPlan } from "../../abi/plan.js";
import { withDocument } from "../../base/placeholders.js";
import { Refusal } from "../../base/problem.js";
import { delay } from "../../base/timing.js";
import type { OpenDocument } from "../types.js";
import type { DiagnosticsRequest } from "./pulled-diagnostics.js";

/** Changes of other files are processed by then. */
const OTHERS_MS = 5_000;
/** A method that no server knows: its refusal shows that the server has done what was due before. */
const PING = "$/lsp-proxy/ping";
/**
 * A server that is pinged between two rounds of its event loop may not have seen what is due; the second ping is later.
 */
const PINGS = 2;

interface Check {
  version: number;
  changedAt: number;
  /** Number of changes that the server had been notified of. */
  changes: number;
  /** When the server answered that it has found everything. */
  answeredAt: number | undefined;
  isPublished: boolean;
}

export interface CheckRequestsContext {
  plan: CheckPlan | null;
  request: DiagnosticsRequest;
  onProgress: () => void;
}

export class CheckRequests {
  readonly #checks = new Map<string, Check>();
  /** When texts were last sent, by path; changes of files that are not open under "". */
  readonly #changedAt = new Map<string, number>();
  #changes = 0;
  #isChecking = false;

  constructor(private readonly context: CheckRequestsContext) {}

  /** The server was sent the text of a document, or (undefined) notified of other files. */
  changed(path: string | undefined): void {
    if (this.context.plan === null) return;
    const now = performance.now();
    this.#changes++;
    for (const [other, at] of this.#changedAt) {
      if (now - at > OTHERS_MS) this.#changedAt.delete(other);
    }
    this.#changedAt.set(path ?? "", now);
    this.#checks.delete(path ?? "");
  }

  /** The check of exactly this text, if there is one that still counts. */
  of({ path, version }: OpenDocument): Check | undefined {
    const check = this.#checks.get(path);
    return check?.version === version && check.changes === this.#changes ? check : undefined;
  }

  /** Starts a check when the text was sent just now and nothing else changed. */
  start(document: OpenDocument, signal: AbortSignal): void {
    const { plan, onProgress } = this.context;
    const { path, version } = document;
    const changedAt = this.#changedAt.get(path);
    if (plan === null || changedAt === undefined || this.#isChecking || this.of(document)) return;
    const now = performance.now();
    const isAlone = [...this.#changedAt].every(([other, at]) => other === path || now - at > OTHERS_MS);
    if (!isAlone || now - changedAt >= plan.withinMs) return;
    const check: Check = {
      version,
      changedAt,
      changes: this.#changes,
      answeredAt: undefined,
      isPublished: false,
    };
    this.#checks.set(path, check);
    this.#isChecking = true;
    this.#run(check, document, plan, signal)
      .catch(() => undefined)
      .finally(onProgress);
  }

  async #run(check: Check, document: OpenDocument, plan: CheckPlan, signal: AbortSignal): Promise<void> {
    const { request, onProgress } = this.context;
    try {
      await request(plan.method, withDocument(plan.params, document), { signal, timeoutMs: plan.withinMs });
    } finally {
      this.#isChecking = false;
    }
    if (performance.now() - check.changedAt > plan.withinMs) return;
    check.answeredAt = performance.now();
    onProgress();
    // The server pauses before it publishes. A reply to a later request shows that the pause is over.
    await delay(plan.pauseMs);
    for (let ping = 0; ping < PINGS; ping++)
      await request(PING, undefined, { signal, timeoutMs: OTHERS_MS }).catch(ignoreRefused);
    check.isPublished = true;
  }
}

/** An error reply is a reply too. */
function ignoreRefused(error: unknown): void {
  if (!(error instanceof Refusal) || !["lsp/not-supported", "lsp/failed"].includes(error.code)) throw error;
}
