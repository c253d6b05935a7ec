/**
 * One agent's session: its calls and the listings it pages through. Whatever happens in a call, it ends before its
 * deadline with an answer or a refusal; a fault of ours is logged with its cause and told without detail.
 */
import type { Answer } from "../abi/handler.js";
import type { ToolPlan } from "../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { Refusal } from "../base/problem.js";
import { candidatesAnswer, emptyAnswer, pageAnswer } from "./answer.js";
import { ToolCall } from "./call.js";
import type { CallState } from "./call-state.js";
import { Places } from "./convert.js";
import { untilAborted, withDeadline } from "./deadline.js";
import { refuse } from "./envelope.js";
import { Evidence } from "./evidence.js";
import { SeveralMatches } from "./find-symbol.js";
import { checkArguments } from "./guard.js";
import type { LoadedBundle } from "./load.js";
import { Pages } from "./page.js";

/** What a call gave, in both forms. */
export interface CallOutcome {
  isError: boolean;
  structured: JsonObject;
  text: string;
}

/** How the caller ends a call, and hears of its progress. */
export interface CallOptions {
  signal: AbortSignal;
  onProgress?(message: string): void;
}

/** What all calls of a runtime share. */
export type Shared = Pick<CallState, "plan" | "pool" | "gate" | "samples" | "log"> & { loaded: LoadedBundle };

/** The part of a call that is there before its tool is chosen. */
type Frame = Pick<CallState, "signal" | "remainingMs" | "onProgress">;

/** Why a call was stopped, if it was. */
interface Clock {
  isCancelled(): boolean;
  expired(): boolean;
}

/** One agent's session. */
export class Session {
  readonly #shared: Shared;
  readonly #pages = new Pages();
  readonly #closed = new AbortController();

  constructor(
    shared: Shared,
    private readonly onClose: (session: Session) => void,
  ) {
    this.#shared = shared;
  }

  /** Calls a tool. Only an unknown tool is thrown; everything else is an outcome. */
  async call(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const { plan } = this.#shared;
    const tool = plan.tools.find((entry) => entry.name === name && plan.mcp.listed.includes(name));
    if (tool === undefined) throw unknownTool(name, plan.mcp.listed);
    const parents = [options.signal, this.#closed.signal];
    const end = performance.now() + tool.timeoutMs;
    return withDeadline(parents, tool.timeoutMs, (signal, expired) => {
      const frame: Frame = {
        signal,
        remainingMs: () => Math.max(0, end - performance.now()),
        onProgress: (message) => options.onProgress?.(message),
      };
      const isCancelled = () => parents.some((parent) => parent.aborted);
      return this.#run(tool, args, frame, { isCancelled, expired });
    });
  }

  /** Ends the session: its calls are cancelled and its listings forgotten. */
  close(): void {
    this.#closed.abort();
    this.onClose(this);
  }

  async #run(tool: ToolPlan, args: unknown, frame: Frame, clock: Clock): Promise<CallOutcome> {
    const evidence = new Evidence();
    try {
      const answer = await untilAborted(frame.signal, this.#answer(tool, args, frame, evidence));
      return { isError: false, ...answer };
    } catch (error) {
      const refusal = this.#refusal(tool, error, clock, evidence);
      const warnings = clock.expired() || refusal.code === "lsp/no-answer" ? unready(evidence) : [];
      const answer = refuse(tool.name, refusal, this.#shared.plan.mcp.listed, [
        ...evidence.warnings,
        ...warnings,
      ]);
      return { isError: true, ...answer };
    }
  }

  async #answer(tool: ToolPlan, args: unknown, frame: Frame, evidence: Evidence): Promise<Answer> {
    const { loaded, plan, pool, gate, samples, log } = this.#shared;
    const input = checkArguments(
      tool,
      await loaded.inputValidator(tool.name),
      args,
      argumentNames(loaded, tool),
    );
    const places = new Places(gate, plan.dialect);
    const shared = { plan, pool, gate, samples, log, places, evidence, pages: this.#pages };
    const state: CallState = { ...shared, ...frame, tool, input };
    try {
      if (tool.page !== null && typeof input.cursor === "string")
        return await pageAnswer(state, tool.output.shape, input.cursor);
      const handler = await loaded.handler(tool.name);
      const call = new ToolCall(state, (name, inner) => this.#within(name, inner, frame, evidence));
      return await handler.run(call, input);
    } catch (error) {
      if (error instanceof SeveralMatches)
        return candidatesAnswer(state, error.wanted.name, error.candidates);
      const isLacking = error instanceof Refusal && error.code === "lsp/not-supported";
      const empty = isLacking ? await emptyAnswer(state, error) : undefined;
      if (empty === undefined) throw error;
      return empty;
    }
  }

  /** A tool within a tool: under the same deadline; its refusal is part of the whole answer. */
  async #within(name: string, args: Json, frame: Frame, outer: Evidence): Promise<JsonObject> {
    const tool = this.#shared.plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw unknownTool(name, []);
    const evidence = new Evidence();
    try {
      return (await this.#answer(tool, args, frame, evidence)).structured;
    } catch (error) {
      if (!(error instanceof Refusal) || frame.signal.aborted) throw error;
      return refuse(name, error, this.#shared.plan.mcp.listed, evidence.warnings).structured;
    } finally {
      outer.absorb(evidence);
    }
  }

  /** What the agent is told of an error: the time's end first, then a refusal as it is, else only that it is our fault. */
  #refusal(tool: ToolPlan, error: unknown, { isCancelled, expired }: Clock, evidence: Evidence): Refusal {
    if (isCancelled()) return new Refusal("call/cancelled", "The call was cancelled.", { cause: error });
    if (expired())
      return new Refusal(
        "lsp/timeout",
        `${tool.name} did not come to an end within ${tool.timeoutMs} ms; the server is ${evidence.readiness}.`,
        { cause: error, nextSteps: [statusStep] },
      );
    if (error instanceof Refusal) return withStatusStep(error);
    this.#shared.log("error", `fault in ${tool.name}`, {
      cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return new Refusal("runtime/fault", "An internal error happened; the log has its cause.", {
      cause: error,
    });
  }
}

const statusStep = {
  kind: "tool" as const,
  tool: "get_server_status",
  arguments: {},
  why: "it says how the language servers do",
};

/** A failing server leads to the tool that tells about servers. */
function withStatusStep(refusal: Refusal): Refusal {
  const isAboutServer = ["lsp/start-failed", "lsp/exited", "lsp/timeout", "lsp/garbled"].includes(
    refusal.code,
  );
  if (!isAboutServer || refusal.nextSteps.length > 0) return refusal;
  return new Refusal(refusal.code, refusal.message, {
    nextSteps: [statusStep],
    data: refusal.data,
    cause: refusal.cause,
  });
}

function unready(evidence: Evidence): { code: "answer/not-ready"; message: string }[] {
  if (evidence.readiness !== "indexing" && evidence.readiness !== "starting") return [];
  return [{ code: "answer/not-ready", message: `The language server is ${evidence.readiness}.` }];
}

function argumentNames(loaded: LoadedBundle, tool: ToolPlan): string[] {
  const { properties } = loaded.tools.find((entry) => entry.name === tool.name)?.inputSchema ?? {};
  return isTable(properties) ? Object.keys(properties) : [];
}

function unknownTool(name: string, listed: readonly string[]): Refusal {
  const near = nearest(name, listed);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return new Refusal("guard/unknown-tool", `There is no tool of that name.${hint}`);
}
