/**
 * One attempt at a call: check the arguments, run the tool's handler. A question back to the agent, or a method that no
 * server offers, becomes an answer; every other error is thrown.
 */
import type { Answer } from "../abi/handler.js";
import { Refusal } from "../base/problem.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { candidatesAnswer, choicesAnswer, emptyAnswer, heldAnswer, pageAnswer } from "./answer/answer.js";
import { clampNumbers } from "./answer/clamp-arguments.js";
import type { RunTool } from "./ask/batch.js";
import { Choices } from "./ask/choose.js";
import { assertFilesUnchanged } from "./ask/retry-on-change.js";
import type { LoadedBundle } from "./bundle/load.js";
import { checkArguments } from "./bundle/validate.js";
import { ToolCall } from "./call.js";
import type { CallState } from "./call-state.js";
import { SeveralMatches } from "./point/find-symbol.js";

/** A call whose arguments are not checked yet. */
export type UncheckedCall = Omit<CallState, "input" | "since">;

/** The answer to a call; `run` is how its tool reaches others. */
export async function answerCall(
  loaded: LoadedBundle,
  unchecked: UncheckedCall,
  args: unknown,
  run: RunTool,
): Promise<Answer> {
  const { tool, plan, evidence, pool } = unchecked;
  const validator = await loaded.inputValidator(tool.name);
  const given = checkArguments(tool, validator, args, loaded.argumentNames(tool.name));
  const input = clampNumbers(tool, plan, given, evidence);
  evidence.input = input;
  const since = tool.effect === "edit" ? await pool.version() : 0;
  const state: CallState = { ...unchecked, input, since };
  const token = tool.output.apply === "on_request" ? input[editArguments.token] : undefined;
  const cursor = input[plan.dialect.listing.cursor];
  try {
    if (tool.page !== null && typeof cursor === "string")
      return await pageAnswer(state, tool.output.shape, cursor);
    if (typeof token === "string") return await heldAnswer(state, token);
    const handler = await loaded.handler(tool.name);
    return await handler.run(new ToolCall(state, run), input);
  } catch (error) {
    if (error instanceof SeveralMatches || error instanceof Refusal) await assertFilesUnchanged(state);
    if (error instanceof Choices) return await choicesAnswer(state, error);
    if (error instanceof SeveralMatches) return candidatesAnswer(state, error.message, error.candidates);
    if (error instanceof Refusal && error.code === "lsp/not-supported") return emptyAnswer(state, error);
    throw error;
  }
}
