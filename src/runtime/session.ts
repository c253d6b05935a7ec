/**
 * One agent's session: its calls and the listings it pages through. Whatever happens in a call, it ends before its
 * deadline with an answer or a refusal; a fault of ours is logged with its cause and told without detail.
 */
import { randomUUID } from "node:crypto";
import type { Answer } from "../abi/handler.js";
import type { ToolPlan } from "../abi/plan.js";
import { isTable, type Json } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import type { PoolMark } from "../lsp/types.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { narrowGate } from "../workspace/narrow.js";
import type { Gate } from "../workspace/types.js";
import { candidatesAnswer, choicesAnswer, emptyAnswer, heldAnswer, pageAnswer } from "./answer.js";
import type { AnswerCache } from "./answer-cache.js";
import type { RunTool } from "./batch.js";
import { ToolCall } from "./call.js";
import type { CallState } from "./call-state.js";
import { Choices } from "./choose.js";
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
import { foldersNotWatched } from "./news.js";
import { type CallOutcome, type Clock, refusalOf, refused, unknownTool, unready } from "./outcome.js";
import { Pages } from "./page.js";
import { briefly, shareAnswer, type Told } from "./shared-answers.js";
import { insistOnSteady, steadily } from "./steady.js";
import { openWording, type Wording } from "./wording.js";

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

/** The part of a call that no other call has. */
type Own = Pick<CallState, "evidence" | "wording" | "places">;

/** An outcome with what it rests on. */
interface Ran {
  outcome: CallOutcome;
  evidence: Evidence;
  /** Absolute paths of the files that it shows. */
  files: string[];
}

/** A call as it was asked, under way until its time is up. */
interface Asked extends Pick<CallState, "tool" | "remainingMs" | "onProgress"> {
  args: unknown;
  cancel: AbortSignal;
}

/** The part of a call that is there before its tool is chosen. */
type Frame = Pick<CallState, "signal" | "remainingMs" | "onProgress" | "mark">;

type Attempted = Frame & Pick<CallState, "attempt">;

/** One agent's session. */
export class Session {
  readonly #shared: Shared;
  readonly #pages = new Pages();
  readonly #previews = new HeldPreviews();
  readonly #toldFolders = new Set<string>();
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
    const end = performance.now() + tool.timeoutMs;
    const remainingMs = () => Math.max(0, end - performance.now());
    return underAny([options.signal, this.#closed.signal], async (cancel) => {
      const asked: Asked = { tool, args, cancel, remainingMs, onProgress };
      if (!isShared(tool)) {
        const isMarked = callsTools(tool) || tool.effect === "edit";
        const mark = isMarked ? await briefly(asked, () => this.#shared.pool.mark()) : undefined;
        return (await this.#begin(asked, mark)).outcome;
      }
      try {
        return await this.#share(asked);
      } catch (error) {
        if (!cancel.aborted) throw error;
        // Whoever left alone is told so; what they shared goes on for the others.
        return (await this.#begin(asked, undefined)).outcome;
      }
    });
  }

  /** The answer that others may have as well, or have already. */
  #share(asked: Asked): Promise<CallOutcome> {
    const { tool } = asked;
    const question = { ...asked, tool: tool.name, roots: this.#gate.roots, asker: this.#id };
    return shareAnswer(this.#shared, question, async (mark, cancel, onProgress) => {
      const { outcome, evidence, files } = await this.#begin({ ...asked, cancel, onProgress }, mark);
      const isWhole = !outcome.isError && !evidence.isPage && evidence.readiness === "ready";
      const owner = evidence.isPage ? this.#id : undefined;
      return { outcome, owner, files, isKept: isWhole && isKept(tool) };
    });
  }

  /** Runs a call of its own until it ends, is cancelled or its time is up. */
  #begin({ tool, args, cancel, remainingMs, onProgress }: Asked, mark: PoolMark | undefined): Promise<Ran> {
    return withDeadline([cancel], remainingMs(), (signal, expired) => {
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
    const { plan, loaded, log } = this.#shared;
    const wording = await openWording(loaded, tool);
    let own = this.#own(wording);
    try {
      frame.signal.throwIfAborted();
      const work = this.#steadily(tool, args, frame, () => {
        own = this.#own(wording);
        return own;
      });
      const answer = await untilAborted(frame.signal, work).catch((error: unknown) => {
        // Files are being changed: whoever asked must hear how that went, however late.
        if (own.evidence.isCommitted) return work;
        throw error;
      });
      for (const folder of foldersNotWatched(own.evidence)) this.#toldFolders.add(folder);
      return {
        outcome: { isError: false, error: null, ...answer },
        evidence: own.evidence,
        files: await filesOf(own),
      };
    } catch (error) {
      const { evidence } = own;
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

  /** What a call gathers, from the beginning; a tool within a tool tells the outer one what cannot be undone. */
  #own(wording: Wording, outer?: Evidence): Own {
    const places = new Places(this.#gate, this.#shared.plan.dialect);
    return { evidence: new Evidence(outer), wording, places };
  }

  /** The answer, asked for again when files changed under it. */
  #steadily(tool: ToolPlan, args: unknown, frame: Frame, open: () => Own): Promise<Answer> {
    return steadily(isShared(tool), async (attempt, isAgain) => {
      const mark = isAgain ? await this.#shared.pool.mark() : frame.mark;
      return this.#answer(tool, args, { ...frame, mark, attempt }, open());
    });
  }

  async #answer(tool: ToolPlan, args: unknown, frame: Attempted, own: Own): Promise<Answer> {
    const { loaded, plan, pool, samples, edits, log } = this.#shared;
    const session = {
      ...{ gate: this.#gate, pages: this.#pages, previews: this.#previews },
      toldFolders: this.#toldFolders,
    };
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
      if (error instanceof SeveralMatches || error instanceof Refusal) await insistOnSteady(state);
      if (error instanceof Choices) return await choicesAnswer(state, error);
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
    const wording = await openWording(loaded, tool);
    let own = this.#own(wording, outer);
    try {
      const { structured, headline, candidates } = await this.#steadily(tool, args, frame, () => {
        own = this.#own(wording, outer);
        return own;
      });
      return { structured, headline, candidates, refusal: undefined };
    } catch (error) {
      if (!(error instanceof Refusal) || frame.signal.aborted) throw error;
      const { warnings, input } = own.evidence;
      const { structured, headline } = refuse(name, error, plan.mcp.listed, warnings, wording, input);
      return { structured, headline, candidates: undefined, refusal: error };
    } finally {
      outer.absorb(own.evidence);
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

async function filesOf({ evidence: { document }, places }: Own): Promise<string[]> {
  const shown = (await places.shown()).map(({ path }) => path);
  return sortedSet([...shown, ...(document ? [document.admitted.path] : [])]);
}

function argumentNames(loaded: LoadedBundle, tool: ToolPlan): string[] {
  const { properties } = loaded.tools.find((entry) => entry.name === tool.name)?.inputSchema ?? {};
  return isTable(properties) ? Object.keys(properties) : [];
}
