/**
 * One attempt at a call: its arguments checked, its tool run; what asks back or what no server offers becomes an answer,
 * everything else that ends it is thrown.
 */
import type { Answer } from "../abi/handler.js";
import type { ToolPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { candidatesAnswer, choicesAnswer, emptyAnswer, heldAnswer, pageAnswer } from "./answer/answer.js";
import { clampNumbers } from "./answer/clamp.js";
import type { RunTool } from "./ask/batch.js";
import { Choices } from "./ask/choose.js";
import { insistOnSteady } from "./ask/steady.js";
import { checkArguments } from "./bundle/guard.js";
import type { LoadedBundle } from "./bundle/load.js";
import { ToolCall } from "./call.js";
import type { CallState } from "./call-state.js";
import { SeveralMatches } from "./point/find-symbol.js";

/** What the runtime gives to every call. */
type Surroundings = Pick<CallState, "plan" | "pool" | "samples" | "edits" | "log"> & { loaded: LoadedBundle };

/** What is asked, and how its tool reaches others. */
interface Asked {
  tool: ToolPlan;
  args: unknown;
  run: RunTool;
}

/** What the session and the attempt add. */
type Own = Omit<CallState, keyof Surroundings | "tool" | "input" | "since">;

/** The answer to a call. */
export async function answerCall(
  { loaded, plan, pool, samples, edits, log }: Surroundings,
  { tool, args, run }: Asked,
  own: Own,
): Promise<Answer> {
  const found = loaded.inputValidator(tool.name);
  const validator = found instanceof Promise ? await found : found;
  const given = checkArguments(tool, validator, args, loaded.argumentNames(tool.name));
  const input = clampNumbers(tool, plan, given, own.evidence);
  own.evidence.input = input;
  const since = tool.effect === "edit" ? await pool.moment() : 0;
  const state: CallState = {
    // One by one: what is put together from other tables V8 keeps as a dictionary, which all steps of a call would search.
    plan,
    tool,
    input,
    pool,
    gate: own.gate,
    samples,
    places: own.places,
    wording: own.wording,
    evidence: own.evidence,
    pages: own.pages,
    edits,
    previews: own.previews,
    holder: own.holder,
    lasting: own.lasting,
    toldFolders: own.toldFolders,
    since,
    log,
    mark: own.mark,
    attempt: own.attempt,
    signal: own.signal,
    remainingMs: own.remainingMs,
    onProgress: own.onProgress,
  };
  const token = tool.output.apply === "on_request" ? input[editArguments.token] : undefined;
  const cursor = input[plan.dialect.listing.cursor];
  try {
    if (tool.page !== null && typeof cursor === "string")
      return await pageAnswer(state, tool.output.shape, cursor);
    if (typeof token === "string") return await heldAnswer(state, token);
    const made = loaded.handler(tool.name);
    const handler = made instanceof Promise ? await made : made;
    return await handler.run(new ToolCall(state, run), input);
  } catch (error) {
    if (error instanceof SeveralMatches || error instanceof Refusal) await insistOnSteady(state);
    if (error instanceof Choices) return await choicesAnswer(state, error);
    if (error instanceof SeveralMatches) return candidatesAnswer(state, error.message, error.candidates);
    if (error instanceof Refusal && error.code === "lsp/not-supported") return emptyAnswer(state, error);
    throw error;
  }
}
