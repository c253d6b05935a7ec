/**
 * One agent's session: its calls and the listings it pages through. Whatever happens in a call, it ends before its
 * deadline with an answer or a refusal; a fault of ours is logged with its cause and told without detail.
 */

import { randomUUID } from "node:crypto";
import type { Answer } from "../abi/handler.js";
import type { ToolPlan } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import { Stop, type StopSignal } from "../base/stop.js";
import type { PoolMark, ServerPool } from "../lsp/types.js";
import { narrowGate } from "../workspace/narrow.js";
import type { Gate } from "../workspace/types.js";
import { Places } from "./answer/convert.js";
import { Evidence, type Learned } from "./answer/evidence.js";
import { type CallOutcome, type Clock, refusalOf, refused, unknownTool } from "./answer/outcome.js";
import { Pages } from "./answer/page.js";
import { openWording, type Wording } from "./answer/wording.js";
import { answerCall, type Unchecked } from "./answer-call.js";
import type { RunTool } from "./ask/batch.js";
import { foldersTold } from "./ask/news.js";
import { type Attempt, steadily } from "./ask/steady.js";
import type { LoadedBundle } from "./bundle/load.js";
import type { CallState } from "./call-state.js";
import { countdown, Deadline, timeWithin, underAny, untilAborted } from "./deadline.js";
import { HeldPreviews } from "./edits/held.js";
import type { AnswerCache } from "./sharing/answer-cache.js";
import type { InFlight } from "./sharing/in-flight.js";
import {
  briefly,
  type Fresh,
  isKept,
  isShared,
  type Question,
  shareAnswer,
  type Told,
} from "./sharing/shared-answers.js";

export type { CallOutcome } from "./answer/outcome.js";

/** How the caller ends a call, and hears of its progress. */
export interface CallOptions {
  signal: StopSignal;
  onProgress?(message: string): void;
}

/** What all calls of a runtime share. */
export type Shared = Pick<CallState, "plan" | "pool" | "gate" | "samples" | "edits" | "log"> & {
  loaded: LoadedBundle;
  /** The tools that agents may call, by name. */
  listed: ReadonlyMap<string, ToolPlan>;
  inFlight: InFlight<Fresh>;
  answers: AnswerCache<Told>;
};

/** The part of a call that no other call has. */
type Own = Pick<CallState, "evidence" | "wording" | "places">;

/** A call as it was asked, under way until its time is up. */
interface Asked extends Pick<CallState, "tool" | "remainingMs" | "onProgress"> {
  args: unknown;
  cancel: StopSignal;
  /** The time that it had at its beginning, in milliseconds. */
  timeoutMs: number;
  /** The call that this one is a part of: what it learned, and where things stood when it began. */
  outer: Caller | undefined;
}

/** The part of a call that is there before its tool is chosen. */
type Frame = Pick<CallState, "signal" | "remainingMs" | "onProgress" | "mark">;

/** A call that calls another tool. */
interface Caller {
  tool: ToolPlan;
  frame: Frame;
  evidence: Evidence;
}

/** One agent's session. */
export class Session {
  readonly #shared: Shared;
  readonly #pages = new Pages();
  readonly #previews = new HeldPreviews();
  readonly #toldFolders = new Set<string>();
  readonly #closed = new Stop();
  readonly #id = randomUUID();
  #gate: Gate;
  /** The gate's roots, as a text. */
  #sight: string;
  #pool: ServerPool;

  constructor(
    shared: Shared,
    private readonly onClose: (session: Session) => void,
    private readonly own: Pick<CallState, "lasting" | "holder">,
  ) {
    this.#shared = shared;
    this.#gate = shared.gate;
    this.#sight = JSON.stringify(shared.gate.roots);
    this.#pool = shared.pool;
  }

  /** Shows this session only what lies within the folders of these URIs too, and in place of what it was narrowed to before. */
  async narrow(uris: readonly string[]): Promise<void> {
    const { gate, pool } = this.#shared;
    const narrowed = await narrowGate(gate, uris);
    const isWhole = gate.roots.every((root) => narrowed.roots.includes(root));
    this.#gate = narrowed;
    this.#sight = JSON.stringify(narrowed.roots);
    this.#pool = isWhole ? pool : pool.within(narrowed.roots);
  }

  /** Calls a tool. Only an unknown tool is thrown; everything else is an outcome. */
  async call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const tool = this.#shared.listed.get(name);
    if (tool === undefined) throw unknownTool(name, this.#shared.plan.mcp.listed);
    const onProgress = (message: string) => options.onProgress?.(message);
    const { timeoutMs } = tool;
    const remainingMs = countdown(timeoutMs);
    const { signal: cancel, done } = underAny([options.signal, this.#closed]);
    const asked = { tool, args, cancel, timeoutMs, remainingMs, onProgress, outer: undefined };
    try {
      const { outcome } = await this.#perform(asked);
      return outcome;
    } finally {
      done();
    }
  }

  /** The road of every call, of an agent or within another call. */
  #perform(asked: Asked): Promise<Told> {
    const { tool } = asked;
    if (isShared(tool)) return this.#share(asked);
    return tool.effect === "edit" ? this.#edit(asked) : this.#begin(asked, undefined);
  }

  /** A call that edits, from where things stood before it; what its own caller changed before is no news to whoever asked for both. */
  async #edit(asked: Asked): Promise<Fresh> {
    const { outer } = asked;
    const mark =
      outer === undefined ? await briefly(asked, () => this.#shared.pool.mark()) : outer.frame.mark;
    return this.#begin(asked, mark);
  }

  /** The answer that others may have as well, or have already. */
  #share(asked: Asked): Promise<Told> {
    const { tool, args, cancel, remainingMs, onProgress } = asked;
    const question: Question = {
      tool: tool.name,
      args,
      sight: this.#sight,
      asker: this.#id,
      holds: (listing) => this.#pages.holds(listing),
      cancel,
      remainingMs,
      onProgress,
    };
    return shareAnswer(this.#shared, question, (mark, stop, tell) => this.#begin(asked, mark, stop, tell));
  }

  /** Runs a call of its own until it ends, is cancelled or its time is up. */
  #begin(
    asked: Asked,
    mark: PoolMark | undefined,
    cancel = asked.cancel,
    onProgress = asked.onProgress,
  ): Promise<Fresh> {
    const { tool, timeoutMs, remainingMs } = asked;
    const begin = (wording: Wording): Promise<Fresh> => {
      const deadline = new Deadline([cancel], remainingMs());
      const frame: Frame = { signal: deadline.signal, remainingMs, onProgress, mark };
      const clock: Clock = {
        timeoutMs,
        isCancelled: () => cancel.aborted,
        expired: () => deadline.isOver,
      };
      return this.#run(asked, wording, frame, clock, deadline);
    };
    const opened = openWording(this.#shared.loaded, tool);
    return opened instanceof Promise ? opened.then(begin) : begin(opened);
  }

  /** Ends the session: its calls are cancelled and its listings forgotten. */
  close(): void {
    this.#closed.abort();
    this.onClose(this);
  }

  async #run(asked: Asked, wording: Wording, frame: Frame, clock: Clock, deadline: Deadline): Promise<Fresh> {
    const { tool, outer } = asked;
    const { plan, pool, log } = this.#shared;
    let own = this.#own(wording, outer?.evidence);
    const ask = (attempt?: Attempt): Promise<Answer> => {
      if (attempt?.isFirst !== false) {
        // What is asked of files that are not as they were taken to be is asked in vain.
        if (attempt !== undefined) frame.mark?.onRefuted(attempt.giveUp);
        return this.#ask(asked, frame, own, attempt, frame.mark);
      }
      return pool.mark().then((mark) => {
        own = this.#own(wording, outer?.evidence);
        return this.#ask(asked, frame, own, attempt, mark);
      });
    };
    // Files are being changed: whoever asked must hear how that went, however late.
    const isBound = () => own.evidence.isCommitted;
    try {
      frame.signal.throwIfAborted();
      const answer = await (isShared(tool)
        ? steadily(frame.signal, ask)
        : untilAborted(frame.signal, ask(), isBound));
      for (const folder of foldersTold(own.evidence)) this.#toldFolders.add(folder);
      return new FreshAnswer(outcomeOf(answer), tool, own, this.#id);
    } catch (error) {
      const { evidence } = own;
      const refusal = refusalOf(tool, error, clock, log);
      return {
        outcome: refused(tool, refusal, plan, evidence, wording),
        ...{ learned: evidence.learned, refusal, isLate: clock.expired() },
        ...{ owner: undefined, listing: undefined, files: [], isKept: false },
      };
    } finally {
      deadline.callOff();
    }
  }

  /** What a call gathers, from the beginning; a tool within a tool tells the outer one what cannot be undone. */
  #own(wording: Wording, outer?: Evidence): Own {
    const places = new Places(this.#gate, this.#shared.plan.dialect);
    return { evidence: new Evidence(outer), wording, places };
  }

  /** One attempt at the answer. */
  #ask(
    { tool, args }: Asked,
    frame: Frame,
    { evidence, wording, places }: Own,
    attempt: Attempt | undefined,
    mark: PoolMark | undefined,
  ): Promise<Answer> {
    const { loaded, plan, samples, edits, log } = this.#shared;
    const { signal, remainingMs, onProgress } = frame;
    const { lasting, holder } = this.own;
    const run: RunTool = (name, inner) => this.#within(name, inner, { tool, frame, evidence });
    // Member by member, here and nowhere else: put together from parts, it was a tenth of what a call allocated.
    const state: Unchecked = {
      plan,
      tool,
      input: {},
      pool: this.#pool,
      gate: this.#gate,
      samples,
      places,
      wording,
      evidence,
      pages: this.#pages,
      edits,
      previews: this.#previews,
      holder,
      lasting,
      toldFolders: this.#toldFolders,
      since: 0,
      log,
      mark,
      attempt,
      signal: attempt?.signal ?? signal,
      remainingMs,
      onProgress,
    };
    return answerCall(loaded, state, args, run);
  }

  /** A tool within a tool: on the same road, within what is left; its refusal is part of the whole answer. */
  async #within(name: string, args: Json, caller: Caller): ReturnType<RunTool> {
    const { frame, evidence } = caller;
    const tool = this.#shared.plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw unknownTool(name, []);
    const left = timeWithin(caller.tool.timeoutMs, frame.remainingMs());
    const timeoutMs = Math.min(tool.timeoutMs, Math.floor(left));
    const { refusal, learned, outcome } = await this.#perform({
      ...{ tool, args, outer: caller, timeoutMs, remainingMs: countdown(timeoutMs) },
      ...{ cancel: frame.signal, onProgress: frame.onProgress },
    });
    evidence.absorb(learned);
    if (refusal !== undefined) frame.signal.throwIfAborted();
    const { structured, headline, candidates, isCut = false } = outcome;
    return { structured, headline, candidates, isCut, refusal };
  }
}

/** The outcome of an answer, member by member: what is put together from others takes V8 the longest. */
function outcomeOf({ structured, text, notes, headline, candidates, isCut }: Answer): CallOutcome {
  const outcome: CallOutcome = { isError: false, error: null, structured, text, notes, headline };
  if (candidates !== undefined) outcome.candidates = candidates;
  if (isCut !== undefined) outcome.isCut = isCut;
  return outcome;
}

/** A new answer. What only some who are told it need is looked up when they do. */
class FreshAnswer implements Fresh {
  readonly refusal = undefined;
  readonly isLate = false;

  constructor(
    readonly outcome: CallOutcome,
    private readonly tool: ToolPlan,
    private readonly own: Own,
    private readonly asker: string,
  ) {}

  get learned(): Learned {
    return this.own.evidence.learned;
  }

  get owner(): string | undefined {
    return this.own.evidence.isPage ? this.asker : undefined;
  }

  get listing(): string | undefined {
    return this.own.evidence.listing;
  }

  get isKept(): boolean {
    return isKept(this.tool, this.own.evidence);
  }

  /** Those that it shows; and those that it is about by the names that were given, which may lead elsewhere later. */
  get files(): string[] {
    const { evidence, places } = this.own;
    const { document, named } = evidence;
    const shown = places.shown().map(({ path }) => path);
    return document ? [...new Set([...shown, document.admitted.path, ...named])] : shown;
  }
}
