/**
 * One agent's session: its calls and the listings it pages through. Every call ends before its deadline with an answer
 * or a refusal; a fault of ours is logged with its cause and reported without detail.
 */
import { resolve } from "node:path";
import type { Answer } from "../abi/handler.js";
import type { ToolPlan } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import { fileUri } from "../base/paths.js";
import { Fault, type Refusal } from "../base/problem.js";
import { countdown, Deadline, sharedAbortController, untilAborted, withTimeout } from "../base/timing.js";
import type { ServerPool, WorkspaceVersion } from "../lsp/types.js";
import type { Gate } from "../workspace/gate-types.js";
import { narrowGate } from "../workspace/session-gate.js";
import type { ToolTexts } from "./answer/answer-text.js";
import { Evidence } from "./answer/evidence.js";
import { type CallOutcome, refusalOf, refused, unknownTool, unlistedTool } from "./answer/outcome.js";
import { Pages } from "./answer/pages.js";
import { Places } from "./answer/places.js";
import { warnedFolders } from "./ask/ask.js";
import type { RunTool } from "./ask/inner-tools.js";
import { type Attempt, isRepeatable, retryWhileFilesChange } from "./ask/retry-on-change.js";
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

/** The evidence of one attempt at a call. */
type Gathered = Pick<CallState, "evidence" | "texts" | "places">;

/** One call of a tool, by an agent or by another tool. */
interface ToolRequest extends Pick<CallState, "tool" | "onProgress"> {
  view: View;
  args: unknown;
  /** Aborts when the client cancels, the session closes or the outer call ends. */
  cancel: readonly AbortSignal[];
  timeoutMs: number;
  outer: OuterCall | undefined;
  /** The call is refused with this. */
  refusal: Refusal | undefined;
}

/** The part of the runtime that one call uses to its end, also if the runtime switches to another plan meanwhile. */
interface View {
  shared: BundleServices;
  gate: Gate;
  pool: ServerPool;
}

/** A running call, with its time limit. */
type Frame = Pick<CallState, "signal" | "remainingMs" | "onProgress" | "files">;

/** A call that calls another tool. */
interface OuterCall {
  view: View;
  tool: ToolPlan;
  frame: Frame;
  evidence: Evidence;
}

/** An answer of ours violates its own output schema; thrown in tests only. */
class AnswerFault extends Fault {}

export class Session {
  readonly #pages = new Pages();
  readonly #previews = new SessionPreviews();
  readonly #warnedFolders = new Set<string>();
  readonly #closed = sharedAbortController();
  #view: View;
  /** The URIs that the session is limited to, if any. */
  #uris: readonly string[] | undefined;

  constructor(
    shared: BundleServices,
    private readonly onClose: (session: Session) => void,
    private readonly own: Pick<CallState, "savedPreviews" | "holder"> & { isHost: boolean },
  ) {
    this.#view = { shared, gate: shared.gate, pool: shared.pool };
  }

  /** The bundle that later calls use. */
  get loaded(): LoadedBundle {
    return this.#view.shared.loaded;
  }

  /** Aborts when the session ends. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Real paths of the folders that the session sees. */
  get roots(): readonly string[] {
    return this.#view.gate.roots;
  }

  /** Limits this session to the folders of these URIs, or with undefined not at all; replaces an earlier limit. */
  narrow(uris: readonly string[] | undefined): void {
    this.#uris = uris;
    this.switchTo(this.#view.shared);
  }

  /** Later calls use another plan, or other servers; those that run finish with the old ones. */
  switchTo(shared: BundleServices): void {
    const { gate, pool } = shared;
    const narrowed = this.#uris === undefined ? gate : narrowGate(gate, this.#uris);
    const isWhole = gate.roots.every((root) => narrowed.roots.includes(root));
    this.#view = { shared, gate: narrowed, pool: isWhole ? pool : pool.within(narrowed.roots) };
  }

  /** Calls a tool. Only an unknown tool throws; everything else is an outcome. */
  async call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const { observer } = options;
    const view = observer ? { ...this.#view, pool: observer.timed(this.#view.pool) } : this.#view;
    const { listed, ofHost, plan, running, refusal: always } = view.shared;
    const tool = (this.own.isHost ? ofHost : listed).get(name);
    if (tool === undefined) throw unlistedTool(name, plan);
    const onProgress = (message: string) => options.onProgress?.(message);
    const cancel = [options.signal, this.#closed.signal];
    const { timeoutMs } = tool;
    const { refusal = always } = options;
    const request = { view, tool, args, cancel, timeoutMs, onProgress, outer: undefined, refusal };
    const performed = this.#perform(request);
    running.add(performed);
    try {
      const ended = await performed;
      if (ended.refusal?.code === "route/no-server" && (await this.#hasOtherPlan(view, ended)))
        return await this.call(name, args, options);
      observer?.ended(ended);
      return ended.outcome;
    } finally {
      running.delete(performed);
    }
  }

  /** Whether a call that found no server is asked again: there is another plan now, and nothing was changed yet. */
  async #hasOtherPlan({ shared }: View, { evidence }: Performed): Promise<boolean> {
    await shared.finder.lookAgain();
    return this.#view.shared !== shared && !evidence.isCommitted;
  }

  /** Ends the session: its calls are cancelled and its listings dropped. */
  close(): void {
    this.#closed.abort();
    this.onClose(this);
  }

  /** Runs a call until it ends, is cancelled or its time is up; every error becomes a refusal. */
  async #perform(request: ToolRequest): Promise<Performed> {
    const { view, tool, cancel, timeoutMs, onProgress, outer } = request;
    const { plan, loaded, log } = view.shared;
    const [root = ""] = view.gate.roots;
    const uriOf = (path: string) => fileUri(resolve(root, path));
    const { dialect } = plan;
    let texts: ToolTexts = { dialect, empty: tool.empty, text: undefined, errorText: undefined, uriOf };
    let module: LoadedTool | undefined;
    const remainingMs = countdown(timeoutMs);
    const deadline = new Deadline(cancel, timeoutMs);
    const { signal } = deadline;
    let gathered = this.#gather(view, texts, outer);
    try {
      const opened = await loaded.tool(tool.name);
      module = opened;
      texts = { ...texts, text: opened.text, errorText: opened.errorText };
      const runOnce = async (attempt?: Attempt): Promise<Answer> => {
        const files = await this.#checkFiles(request, signal, remainingMs, attempt);
        const frame: Frame = { signal, remainingMs, onProgress, files };
        gathered = this.#gather(view, texts, outer);
        const caller = { view, tool, frame, evidence: gathered.evidence };
        const run: RunTool = (name, args) => this.#callWithin(name, args, caller);
        const state = { ...this.#stateOf(view), tool, attempt, ...frame, ...gathered };
        return answerCall(opened, state, request.args, run);
      };
      signal.throwIfAborted();
      if (request.refusal) throw request.refusal;
      const answer = await (isRepeatable(tool)
        ? retryWhileFilesChange(signal, runOnce, view.shared.edits)
        : this.#finishOnce(signal, runOnce(), () => gathered.evidence));
      for (const folder of warnedFolders(gathered.evidence)) this.#warnedFolders.add(folder);
      const outcome = { isError: false, error: null, ...answer };
      return this.#validated(view, module, { outcome, evidence: gathered.evidence, refusal: undefined });
    } catch (error) {
      if (error instanceof AnswerFault) throw error;
      const { evidence } = gathered;
      const isCancelled = signal.aborted && !deadline.isOver;
      const refusal = refusalOf(tool, error, { timeoutMs, isCancelled, isExpired: deadline.isOver }, log);
      const outcome = refused(tool, refusal, plan, evidence, texts);
      return this.#validated(view, module, { outcome, evidence, refusal });
    } finally {
      deadline.clear();
    }
  }

  /** Checks an answer against the schema of its tool, if that was loaded. A violation is logged, or thrown in tests. */
  #validated({ shared }: View, module: LoadedTool | undefined, performed: Performed): Performed {
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

  /** Empty evidence for one attempt; an outer call gets the edits that cannot be undone. */
  #gather({ gate, shared }: View, texts: ToolTexts, outer: OuterCall | undefined): Gathered {
    const places = new Places(gate, shared.plan.dialect);
    return { evidence: new Evidence(outer?.evidence), texts, places };
  }

  /** Checks the disk and notifies the servers, where the answer depends on files. An outer edit's check still holds. */
  async #checkFiles(
    { view, tool, outer }: ToolRequest,
    signal: AbortSignal,
    remainingMs: () => number,
    attempt: Attempt | undefined,
  ): Promise<WorkspaceVersion | undefined> {
    const { pool } = view.shared;
    if (tool.effect === "edit" && outer !== undefined) return outer.frame.files;
    if (attempt === undefined && tool.effect !== "edit") return undefined;
    if (attempt?.isFirst === false) return pool.checkFiles();
    return untilAborted(signal, withTimeout(pool.checkFiles(), Math.min(CHECK_FILES_MS, remainingMs() / 2)));
  }

  /** The part of a call's state that all calls of the session have. */
  #stateOf({ shared, pool, gate }: View) {
    return {
      ...shared,
      ...this.own,
      pool,
      gate,
      pages: this.#pages,
      previews: this.#previews,
      warnedFolders: this.#warnedFolders,
    };
  }

  /** A tool called by another tool, within the time that is left; its refusal is part of the whole answer. */
  async #callWithin(name: string, args: Json, outer: OuterCall): ReturnType<RunTool> {
    const { view, frame, evidence } = outer;
    const tool = view.shared.plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw unknownTool(name, []);
    const left = innerCallBudgetMs(outer.tool.timeoutMs, frame.remainingMs());
    const timeoutMs = Math.min(tool.timeoutMs, Math.floor(left));
    const { onProgress } = frame;
    const cancel = [frame.signal];
    const request = { view, tool, args, cancel, timeoutMs, onProgress, outer, refusal: undefined };
    const { refusal, evidence: inner, outcome } = await this.#perform(request);
    evidence.absorb(inner.learned);
    if (refusal !== undefined) frame.signal.throwIfAborted();
    const { structured, headline, candidates, isCut = false } = outcome;
    return { structured, headline, candidates, isCut, refusal };
  }
}
