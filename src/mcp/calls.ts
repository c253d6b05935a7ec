/**
 * What a session offers, before any revision of the protocol frames it: the list of tools from the bundle, and calls into
 * the runtime. The list needs no language server and is always the same; an unknown tool is a protocol error, everything
 * else is a tool result.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolEntry } from "../abi/bundle.js";
import { Refusal } from "../base/problem.js";
import { protocolError } from "../runtime/answer/answer-text.js";
import type { Runtime } from "../runtime/runtime.js";
import type { CallOptions, CallOutcome, Session } from "../runtime/session.js";
import { ProtocolError, type ToolResult, toolResult } from "./result.js";

/** One entry of `tools/list`; an output schema only where the dialect sends them. */
export type ListedTool = Omit<ToolEntry, "outputSchema"> & Partial<Pick<ToolEntry, "outputSchema">>;

/** The calls of one session. */
export interface SessionCalls {
  readonly session: Session;
  /** All tools, in one piece; a cursor of it can only be a mistake, and throws a ProtocolError. */
  list(cursor: unknown): ListedTool[];
  /** Calls a tool for a client that gave itself that name; throws a ProtocolError for what is no tool result. */
  call(name: string, args: unknown, options: CallOptions, client: string | undefined): Promise<ToolResult>;
  /** Whether a call is being answered. */
  readonly isBusy: boolean;
  /** Resolves when no call is being answered any more. */
  idle(): Promise<void>;
  /** Resolves when the calls that were taken back until now have ended. */
  leave(): Promise<void>;
  /** Cuts every call off, those that come too: each is answered, with an error that says why. */
  cut(why: CutReason): void;
  /** The same; resolves when each answer is on its way. */
  end(why: CutReason): Promise<void>;
  /** Aborted by `cut`. */
  readonly isCut: AbortSignal;
}

const invalidParams = -32602;
/** JSON-RPC's first number for errors of a server's own. */
const cutNumber = -32000;
const cutWords = {
  ending: "The proxy is ending and has cut the call off.",
  gone: "The session of the call has ended, or its token was removed, and the call with it.",
};

/** Why calls are cut off. */
export type CutReason = keyof typeof cutWords;

/** The calls of a session of the runtime. */
export function openCalls(runtime: Runtime, session: Session): SessionCalls {
  const { dialect, mcp } = runtime.loaded.plan;
  const tools = runtime.tools.map((entry) => listed(entry, dialect.outputSchemas));
  const pending = new Map<Promise<unknown>, AbortSignal>();
  const cut = new AbortController();
  const cutOff = () => new ProtocolError(cutNumber, cutWords[cut.signal.reason as CutReason], undefined);
  const told = (refusal: Refusal): ProtocolError => {
    if (dialect.errors.form !== "protocol")
      return new ProtocolError(invalidParams, refusal.message, undefined);
    return asError(protocolError(refusal, dialect.errors));
  };
  const calls: SessionCalls = {
    session,
    list(cursor) {
      if (cursor === undefined || cursor === null) return tools;
      throw told(new Refusal("page/cursor-invalid", "The list of tools has one page and no cursors."));
    },
    async call(name, args, options, client) {
      if (cut.signal.aborted) throw cutOff();
      const call = session.call(name, args, options);
      pending.set(call, options.signal);
      try {
        const outcome = await call;
        if (outcome.isError && cut.signal.aborted) throw cutOff();
        if (outcome.error !== null && dialect.errors.form === "protocol") throw asError(outcome.error);
        const { result = dialect.result } = mcp.clients.find((known) => isNamed(client, known.name)) ?? {};
        return toolResult(outcome, dialect, result);
      } catch (error) {
        throw error instanceof Refusal ? told(error) : error;
      } finally {
        pending.delete(call);
      }
    },
    get isBusy() {
      return pending.size > 0;
    },
    async idle() {
      while (pending.size > 0) await Promise.allSettled(pending.keys());
    },
    async leave() {
      // The SDK takes a call back in the turn after it was told to.
      await nextTurn();
      const left = [...pending].flatMap(([call, signal]) => (signal.aborted ? [call] : []));
      await Promise.allSettled(left);
    },
    cut(why) {
      cut.abort(why);
      session.close();
    },
    async end(why) {
      calls.cut(why);
      await calls.idle();
      // Answers are written in the turn of their calls.
      await nextTurn();
    },
    isCut: cut.signal,
  };
  return calls;
}

/** Whether a client gave itself that name, or one that begins so where the name ends in `*`. */
function isNamed(client: string | undefined, name: string): boolean {
  return name.endsWith("*") ? client?.startsWith(name.slice(0, -1)) === true : client === name;
}

function asError({ number, message, data }: NonNullable<CallOutcome["error"]>): ProtocolError {
  return new ProtocolError(number, message, data);
}

function listed(entry: ToolEntry, withOutputSchema: boolean): ListedTool {
  const { outputSchema, ...rest } = entry;
  return withOutputSchema ? { ...rest, outputSchema } : rest;
}
