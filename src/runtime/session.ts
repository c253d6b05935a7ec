/**
 * One agent's session: its calls and the listings it pages through. Every call ends before its deadline with an answer
 * or a refusal; a fault of ours is logged with its cause and reported without detail.
 */
import { resolve } from "node:path";
import type { Answer } from "../abi/handler.js";
import type { Json } from "../base/json.js";
import { fileUri } from "../base/paths.js";
import { Fault, type Refusal } from "../base/problem.js";
import { countdown, Deadline, sharedAbortController, untilAborted, withTimeout } from "../base/timing.js";
import type { FileCheck, ServerPool } from "../lsp/types.js";
import type { Gate } from "../workspace/gate-types.js";
import { narrowGate } from "../workspace/session-gate.js";
import type { ToolTexts } from "./answer/answer-text.js";
import { Evidence } from "./answer/evidence.js";
import { type CallOutcome, refusalOf, refused, unknownTool, unlistedTool } from "./answer/outcome.js";
import { Pages } from "./answer/pages.js";
import { Places } from "./answer/places.js";
import { warnedFolders } from "./ask/ask.js";
import type { RunTool } from "./ask/inner-tools.js";
import { type Attempt, isRepeatableTool, retryWhileFilesChange } from "./ask/retry-on-change.js";
import type { LoadedBundle, LoadedTool } from "./bundle/load.js";
import { answerFault } from "./bundle/validate.js";
import type { BundleServices } from "./bundle-services.js";
import { answerCall, innerCallBudgetMs } from "./call.js";
import type { CallObserver, Performed } from "./call-observer.js";
import type { CallState } from "./call-state.js";
import { SessionPreviews } from "./edits/session-previews.js";

export type { CallOutcome } from "./answer/outcome.js";

/** Checking the disk before a question is not waited for longer than this. */
const CHECK_FILES_MS = 2_000;

/** How the caller ends a call, and receives its progress. */
export interface CallOptions {
  signal: AbortSignal;
  /** The call is refused with this. */
  refusal?: Refusal | undefined;
  onProgress?(message: string): void;
  /** Measures the call. */
  observer?: CallObserver | undefined;
}

/** What one attempt at a call collects, and how it is shown. */
type AttemptState = Pick<CallState, "evidence" | "texts" | "places">;

/** One call of a tool, by an agent or by another tool. */
interface ToolRequest extends Pick<CallState, "tool" | "onProgress"> {
  scope: CallScope;
  args: unknown;
  /** Abort when the client cancels, the session closes or the outer call ends. */
  cancel: readonly AbortSignal[];
  timeoutMs: number;
  outer: OuterCall | undefined;
  /** The call is refused with this. */
  refusal: Refusal | undefined;
}

/** The part of the runtime that a call uses from beginning to end, also if the runtime switches to another plan meanwhile. */
interface CallScope {
  shared: BundleServices;
  gate: Gate;
  pool: ServerPool;
}

/** A running call that calls another tool. */
interface OuterCall
  extends Pick<CallState, "tool" | "evidence" | "signal" | "remainingMs" | "onProgress" | "fileCheck"> {
  scope: CallScope;
}

/** An answer of ours violates its own output schema; thrown in tests only. */
class AnswerFault extends Fault {}

export class Session {
  readonly #pages = new Pages();
  readonly #previews = new SessionPreviews();
  readonly #warnedFolders = new Set<string>();
  readonly #closed = sharedAbortController();
  #scope: CallScope;
  /** The URIs that the session is limited to, if any. */
  #uris: readonly string[] | undefined;

  constructor(
    shared: BundleServices,
    private readonly onClose: (session: Session) => void,
    private readonly owner: Pick<CallState, "savedPreviews" | "holder"> & { isHost: boolean },
  ) {
    this.#scope = { shared, gate: shared.gate, pool: shared.pool };
  }

  /** The bundle that later calls use. */
  get loaded(): LoadedBundle {
    return this.#scope.shared.loaded;
  }

  /** Aborts when the session ends. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Real paths of the folders that the session sees. */
  get roots(): readonly string[] {
    return this.#scope.gate.roots;
  }

  /** Limits this session to the folders of these URIs, or with undefined not at all; replaces an earlier limit. */
  narrow(uris: readonly string[] | undefined): void {
    this.#uris = uris;
    this.switchTo(this.#scope.shared);
  }

  /** Later calls use another plan, or other servers; those that run finish with the old ones. */
  switchTo(shared: BundleServices): void {
    const { gate, pool } = shared;
    const narrowed = this.#uris === undefined ? gate : narrowGate(gate, this.#uris);
    const isWhole = gate.roots.every((root) => narrowed.roots.includes(root));
    this.#scope = { shared, gate: narrowed, pool: isWhole ? pool : pool.within(narrowed.roots) };
  }

  /** Calls a tool. Only an unknown tool throws; everything else is an outcome. */
  async call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const { observer } = options;
    const scope = observer ? { ...this.#scope, pool: observer.timed(this.#scope.pool) } : this.#scope;
    const { listed, ofHost, plan, running } = scope.shared;
    const tool = (this.owner.isHost ? ofHost : listed).get(name);
    if (tool === undefined) throw unlistedTool(name, plan);
    const onProgress = (message: string) => options.onProgress?.(message);
    const cancel = [options.signal, this.#closed.signal];
    const { timeoutMs } = tool;
    const refusal = options.refusal ?? scope.shared.refusal;
    const request = { scope, tool, args, cancel, timeoutMs, onProgress, outer: undefined, refusal };
    const performed = this.#perform(request);
    running.add(performed);
    try {
      const ended = await performed;
      if (ended.refusal?.code === "route/no-server" && (await this.#hasOtherPlan(scope, ended)))
        return await this.call(name, args, options);
      observer?.ended(ended);
      return ended.outcome;
    } finally {
      running.delete(performed);
    }
  }

  /** Whether a call that found no server is asked again: there is another plan now, and nothing was changed yet. */
  async #hasOtherPlan({ shared }: CallScope, { evidence }: Performed): Promise<boolean> {
    await shared.finder.lookAgain();
    return this.#scope.shared !== shared && !evidence.isCommitted;
  }

  /** Ends the session: its calls are cancelled and its listings dropped. */
  close(): void {
    this.#closed.abort();
    this.onClose(this);
  }

  /** Runs a call until it ends, is cancelled or its time is up; every error becomes a refusal. */
  async #perform(request: ToolRequest): Promise<Performed> {
    const { scope, tool, cancel, timeoutMs, onProgress, outer } = request;
    const { plan, loaded, log } = scope.shared;
    const [root = ""] = scope.gate.roots;
    const uriOf = (path: string) => fileUri(resolve(root, path));
    const { dialect } = plan;
    let texts: ToolTexts = { dialect, empty: tool.empty, text: undefined, errorText: undefined, uriOf };
    let module: LoadedTool | undefined;
    const remainingMs = countdown(timeoutMs);
    const deadline = new Deadline(cancel, timeoutMs);
    const { signal } = deadline;
    let collected = this.#newAttempt(scope, texts, outer);
    try {
      const opened = await loaded.tool(tool.name);
      module = opened;
      texts = { ...texts, text: opened.text, errorText: opened.errorText };
      const runOnce = async (attempt?: Attempt): Promise<Answer> => {
        const fileCheck = await this.#checkFiles(request, signal, remainingMs, attempt);
        collected = this.#newAttempt(scope, texts, outer);
        const running = { tool, attempt, signal, remainingMs, onProgress, fileCheck, ...collected };
        const runTool: RunTool = (name, args) => this.#callWithin(name, args, { scope, ...running });
        return answerCall(opened, { ...this.#stateOf(scope), ...running }, request.args, runTool);
      };
      signal.throwIfAborted();
      if (request.refusal) throw request.refusal;
      const answer = await (isRepeatableTool(tool)
        ? retryWhileFilesChange(signal, runOnce, scope.shared.edits)
        : this.#finishOnce(signal, runOnce(), () => collected.evidence));
      for (const folder of warnedFolders(collected.evidence)) this.#warnedFolders.add(folder);
      const outcome = { isError: false, error: null, ...answer };
      return this.#validated(scope, module, { outcome, evidence: collected.evidence, refusal: undefined });
    } catch (error) {
      if (error instanceof AnswerFault) throw error;
      const { evidence } = collected;
      const isCancelled = signal.aborted && !deadline.isOver;
      const refusal = refusalOf(tool, error, { timeoutMs, isCancelled, isExpired: deadline.isOver }, log);
      const outcome = refused(tool, refusal, plan, evidence, texts);
      return this.#validated(scope, module, { outcome, evidence, refusal });
    } finally {
      deadline.clear();
    }
  }

  /** Checks an answer against the schema of its tool, if that was loaded. A violation is logged, or thrown in tests. */
  #validated({ shared }: CallScope, module: LoadedTool | undefined, performed: Performed): Performed {
    const fault = module && answerFault(module.outputValidator, performed.outcome.structured);
    if (fault === undefined) return performed;
    const message = `the answer of ${module?.handler.name} violates its output schema: ${fault}`;
    if (shared.strictAnswers) throw new AnswerFault(message);
    shared.log("warn", message);
    return performed;
  }

  /** Waits for a call that must not run twice. One that has begun to change files is waited for past its deadline. */
  #finishOnce(signal: AbortSignal, answer: Promise<Answer>, evidence: () => Evidence): Promise<Answer> {
    return untilAborted(signal, answer).catch((error: unknown) => {
      if (evidence().isCommitted) return answer;
      throw error;
    });
  }

  /** The empty state of an attempt. Its evidence tells an outer call that files are being changed. */
  #newAttempt({ gate, shared }: CallScope, texts: ToolTexts, outer: OuterCall | undefined): AttemptState {
    const places = new Places(gate, shared.plan.dialect);
    return { evidence: new Evidence(outer?.evidence), texts, places };
  }

  /** Checks the disk and notifies the servers, where the answer depends on files; undefined without a check. */
  async #checkFiles(
    { scope, tool, outer }: ToolRequest,
    signal: AbortSignal,
    remainingMs: () => number,
    attempt: Attempt | undefined,
  ): Promise<FileCheck | undefined> {
    const { pool } = scope.shared;
    // An edit that another tool calls is about the files as they were when that tool was called.
    if (tool.effect === "edit" && outer !== undefined) return outer.fileCheck;
    if (attempt === undefined && tool.effect !== "edit") return undefined;
    // Files changed under the first attempt, so the next one needs the result of the check, however long it takes.
    if (attempt?.isFirst === false) return pool.checkFiles();
    return untilAborted(signal, withTimeout(pool.checkFiles(), Math.min(CHECK_FILES_MS, remainingMs() / 2)));
  }

  /** The part of a call's state that all calls of the session have. */
  #stateOf({ shared, pool, gate }: CallScope) {
    return {
      ...shared,
      ...this.owner,
      pool,
      gate,
      pages: this.#pages,
      previews: this.#previews,
      warnedFolders: this.#warnedFolders,
    };
  }

  /** A tool called by another tool, within the time that is left; its refusal is part of the whole answer. */
  async #callWithin(name: string, args: Json, outer: OuterCall): ReturnType<RunTool> {
    const { scope, signal, onProgress, evidence } = outer;
    const tool = scope.shared.plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw unknownTool(name, []);
    const left = innerCallBudgetMs(outer.tool.timeoutMs, outer.remainingMs());
    const timeoutMs = Math.min(tool.timeoutMs, Math.floor(left));
    const cancel = [signal];
    const request = { scope, tool, args, cancel, timeoutMs, onProgress, outer, refusal: undefined };
    const { refusal, evidence: inner, outcome } = await this.#perform(request);
    evidence.absorb(inner.learned);
    if (refusal !== undefined) signal.throwIfAborted();
    const { structured, headline, candidates, isCut = false } = outcome;
    return { structured, headline, candidates, isCut, refusal };
  }
}
