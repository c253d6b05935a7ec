/**
 * One agent's session: its calls and the listings it pages through. Whatever happens in a call, it ends before its
 * deadline with an answer or a refusal; a fault of ours is logged with its cause and told without detail.
 */
import { randomUUID } from "node:crypto";
import type { Answer } from "../abi/handler.js";
import type { ToolPlan } from "../abi/plan.js";
import { canonicalText, isTable, type Json } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import type { PoolMark } from "../lsp/types.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { narrowGate } from "../workspace/narrow.js";
import type { Gate } from "../workspace/types.js";
import { candidatesAnswer, emptyAnswer, heldAnswer, pageAnswer } from "./answer.js";
import type { AnswerCache } from "./answer-cache.js";
import type { RunTool } from "./batch.js";
import { ToolCall } from "./call.js";
import type { CallState } from "./call-state.js";
import { clampNumbers } from "./clamp.js";
import { Places } from "./convert.js";
import { underAny, untilAborted, withDeadline } from "./deadline.js";
import { HeldPreviews } from "./edits/held.js";
import { refuse } from "./envelope.js";
import { Evidence } from "./evidence.js";
import { SeveralMatches } from "./find-symbol.js";
import { checkArguments } from "./guard.js";
import type { InFlight } from "./in-flight.js";
import type { LoadedBundle } from "./load.js";
import { type CallOutcome, type Clock, refusalOf, refused, unknownTool, unready } from "./outcome.js";
import { Pages } from "./page.js";
import { openWording } from "./wording.js";

export type { CallOutcome } from "./outcome.js";

/** How the caller ends a call, and hears of its progress. */
export interface CallOptions {
  signal: AbortSignal;
  onProgress?(message: string): void;
}

/** What all calls of a runtime share. */
export type Shared = Pick<CallState, "plan" | "pool" | "gate" | "samples" | "edits" | "log"> & {
  loaded: LoadedBundle;
  inFlight: InFlight<Told>;
  answers: AnswerCache;
};

/** A look at the disk that takes longer is not waited for: sharing must not cost more than asking. */
const markMs = 2000;

/** The part of a call that no other call has. */
type Own = Pick<CallState, "evidence" | "wording" | "places">;

/** An outcome with what it rests on. */
interface Ran {
  outcome: CallOutcome;
  evidence: Evidence;
  /** Absolute paths of the files that it shows. */
  files: string[];
}

/** An outcome that others may be told too. */
export interface Told {
  outcome: CallOutcome;
  /** The only session that it is good in, where its cursor is. */
  owner: string | undefined;
}

/** The part of a call that is there before its tool is chosen. */
type Frame = Pick<CallState, "signal" | "remainingMs" | "onProgress" | "mark">;

/** One agent's session. */
export class Session {
  readonly #shared: Shared;
  readonly #pages = new Pages();
  readonly #previews = new HeldPreviews();
  readonly #closed = new AbortController();
  readonly #id = randomUUID();
  #gate: Gate;

  constructor(
    shared: Shared,
    private readonly onClose: (session: Session) => void,
  ) {
    this.#shared = shared;
    this.#gate = shared.gate;
  }

  /** Shows this session only what lies within the folders of these URIs too, and in place of what it was narrowed to before. */
  async narrow(uris: readonly string[]): Promise<void> {
    this.#gate = await narrowGate(this.#shared.gate, uris);
  }

  /** Calls a tool. Only an unknown tool is thrown; everything else is an outcome. */
  async call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const { plan } = this.#shared;
    const tool = plan.tools.find((entry) => entry.name === name && plan.mcp.listed.includes(name));
    if (tool === undefined) throw unknownTool(name, plan.mcp.listed);
    const onProgress = (message: string) => options.onProgress?.(message);
    return underAny([options.signal, this.#closed.signal], async (cancel) => {
      if (!isShared(tool)) {
        const mark = callsTools(tool) ? await this.#mark(cancel) : undefined;
        return (await this.#begin(tool, args, mark, cancel, onProgress)).outcome;
      }
      try {
        return await this.#share(tool, args, cancel, onProgress);
      } catch (error) {
        if (!cancel.aborted) throw error;
        // Whoever left alone is told so; what they shared goes on for the others.
        return (await this.#begin(tool, args, undefined, cancel, onProgress)).outcome;
      }
    });
  }

  /** The answer that is kept and still true, or under way for somebody else, or new. */
  async #share(tool: ToolPlan, args: unknown, cancel: AbortSignal, onProgress: Frame["onProgress"]) {
    const { answers, inFlight } = this.#shared;
    const askedAt = Date.now();
    const mark = await this.#mark(cancel);
    const alone = async () => (await this.#begin(tool, args, mark, cancel, onProgress)).outcome;
    if (mark === undefined) return alone();
    // Sessions that see different roots are answered differently.
    const key = canonicalText([tool.name, args ?? {}, this.#gate.roots]);
    const kept = await answers.get(key, mark);
    if (kept !== undefined) return kept;
    const told = await inFlight.join(`${mark.files} ${key}`, cancel, onProgress, async (signal, tell) => {
      const { outcome, evidence, files } = await this.#begin(tool, args, mark, signal, tell);
      const isWhole = !outcome.isError && !evidence.isPage && evidence.readiness === "ready";
      if (isWhole && isKept(tool)) void this.#keep(key, mark, outcome, files, askedAt);
      return { outcome, owner: evidence.isPage ? this.#id : undefined };
    });
    // A cursor is good in its own session only.
    return told.owner === undefined || told.owner === this.#id ? told.outcome : alone();
  }

  /** Where things stand, unless that takes too long to find out: then a call goes its own way. */
  async #mark(cancel: AbortSignal): Promise<PoolMark | undefined> {
    return withDeadline([cancel], markMs, async (signal, expired) => {
      try {
        return await untilAborted(signal, this.#shared.pool.mark());
      } catch (error) {
        if (expired()) return undefined;
        throw error;
      }
    });
  }

  /** Keeps an answer when nothing has changed since before it was asked for. */
  async #keep(key: string, mark: PoolMark, outcome: CallOutcome, files: string[], askedAt: number) {
    const { pool, answers, log } = this.#shared;
    try {
      const now = await pool.mark();
      if (now.all === mark.all) await answers.put(key, mark, outcome, files, askedAt);
    } catch (error) {
      log("debug", "an answer was not kept", { cause: String(error) });
    }
  }

  /** Runs a call of its own until it ends, is cancelled or its time is up. */
  #begin(
    tool: ToolPlan,
    args: unknown,
    mark: PoolMark | undefined,
    cancel: AbortSignal,
    onProgress: Frame["onProgress"],
  ): Promise<Ran> {
    const end = performance.now() + tool.timeoutMs;
    return withDeadline([cancel], tool.timeoutMs, (signal, expired) => {
      const remainingMs = () => Math.max(0, end - performance.now());
      const frame: Frame = { signal, remainingMs, onProgress, mark };
      return this.#run(tool, args, frame, { isCancelled: () => cancel.aborted, expired });
    });
  }

  /** Ends the session: its calls are cancelled and its listings forgotten. */
  close(): void {
    this.#closed.abort();
    this.onClose(this);
  }

  async #run(tool: ToolPlan, args: unknown, frame: Frame, clock: Clock): Promise<Ran> {
    const evidence = new Evidence();
    const { plan, loaded, log } = this.#shared;
    const gate = this.#gate;
    const wording = await openWording(loaded, tool);
    const places = new Places(gate, plan.dialect);
    try {
      frame.signal.throwIfAborted();
      const work = this.#answer(tool, args, frame, { evidence, wording, places });
      const answer = await untilAborted(frame.signal, work).catch((error: unknown) => {
        // Files are being changed: whoever asked must hear how that went, however late.
        if (evidence.isCommitted) return work;
        throw error;
      });
      return {
        outcome: { isError: false, error: null, ...answer },
        evidence,
        files: await filesOf(evidence, places),
      };
    } catch (error) {
      const refusal = refusalOf(tool, error, clock, evidence, { plan, log });
      const warnings = clock.expired() || refusal.code === "lsp/no-answer" ? unready(evidence) : [];
      const told = [...evidence.warnings, ...warnings];
      return {
        outcome: refused(tool, refusal, plan.mcp.listed, told, wording, evidence.input),
        evidence,
        files: [],
      };
    }
  }

  async #answer(tool: ToolPlan, args: unknown, frame: Frame, own: Own): Promise<Answer> {
    const { loaded, plan, pool, samples, edits, log } = this.#shared;
    const session = { gate: this.#gate, pages: this.#pages, previews: this.#previews };
    const given = checkArguments(
      tool,
      await loaded.inputValidator(tool.name),
      args,
      argumentNames(loaded, tool),
    );
    const input = clampNumbers(tool, plan.dialect, given, own.evidence);
    own.evidence.input = input;
    const since = tool.effect === "edit" ? await pool.moment() : 0;
    const state: CallState = {
      ...{ plan, pool, samples, edits, log, since, tool, input },
      ...{ ...session, ...own, ...frame },
    };
    const token = tool.output.apply === "on_request" ? input[editArguments.token] : undefined;
    const cursor = input[plan.dialect.listing.cursor];
    try {
      if (tool.page !== null && typeof cursor === "string")
        return await pageAnswer(state, tool.output.shape, cursor);
      if (typeof token === "string") return await heldAnswer(state, token);
      const handler = await loaded.handler(tool.name);
      const call = new ToolCall(state, (name, inner) => this.#within(name, inner, frame, own.evidence));
      return await handler.run(call, input);
    } catch (error) {
      if (error instanceof SeveralMatches) return candidatesAnswer(state, error.message, error.candidates);
      const isLacking = error instanceof Refusal && error.code === "lsp/not-supported";
      const empty = isLacking ? await emptyAnswer(state, error) : undefined;
      if (empty === undefined) throw error;
      return empty;
    }
  }

  /** A tool within a tool: under the same deadline; its refusal is part of the whole answer. */
  async #within(name: string, args: Json, frame: Frame, outer: Evidence): ReturnType<RunTool> {
    const { plan, loaded } = this.#shared;
    const tool = plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw unknownTool(name, []);
    const evidence = new Evidence(outer);
    const wording = await openWording(loaded, tool);
    const own = { evidence, wording, places: new Places(this.#gate, plan.dialect) };
    try {
      const { structured, headline, candidates } = await this.#answer(tool, args, frame, own);
      return { structured, headline, candidates, refusal: undefined };
    } catch (error) {
      if (!(error instanceof Refusal) || frame.signal.aborted) throw error;
      const { structured, headline } = refuse(
        name,
        error,
        plan.mcp.listed,
        evidence.warnings,
        wording,
        evidence.input,
      );
      return { structured, headline, candidates: undefined, refusal: error };
    } finally {
      outer.absorb(evidence);
    }
  }
}

/** Whether identical calls may share an answer: those that only read what language servers tell. */
function isShared(tool: ToolPlan): boolean {
  return (
    tool.effect === "read" && tool.steps.every(({ kind }) => kind === "request" || kind === "diagnostics")
  );
}

/** Whether a tool calls others, whose listings depend on the files as well. */
function callsTools(tool: ToolPlan): boolean {
  return tool.steps.some(({ kind }) => kind === "tool" || kind === "batch");
}

/** Whether an answer may be given again: what servers push at their own time is asked for every time. */
function isKept(tool: ToolPlan): boolean {
  return tool.steps.every(({ kind }) => kind === "request");
}

async function filesOf({ document }: Evidence, places: Places): Promise<string[]> {
  return sortedSet([...(await places.shownPaths()), ...(document ? [document.admitted.path] : [])]);
}

function argumentNames(loaded: LoadedBundle, tool: ToolPlan): string[] {
  const { properties } = loaded.tools.find((entry) => entry.name === tool.name)?.inputSchema ?? {};
  return isTable(properties) ? Object.keys(properties) : [];
}
