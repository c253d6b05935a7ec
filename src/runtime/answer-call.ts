/**
 * One attempt at a call: its arguments checked, its tool run; what asks back or what no server offers becomes an answer,
 * everything else that ends it is thrown.
 */
import type { Answer } from "../abi/handler.js";
import type { JsonObject } from "../base/json.js";
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

/** A call whose arguments are yet to be checked. */
export type Unchecked = Omit<CallState, "input" | "since"> & { input: JsonObject; since: number };

/** The answer to a call; `run` is how its tool reaches others. */
export async function answerCall(
  loaded: LoadedBundle,
  state: Unchecked,
  args: unknown,
  run: RunTool,
): Promise<Answer> {
  const { tool, plan, evidence } = state;
  const found = loaded.inputValidator(tool.name);
  const validator = found instanceof Promise ? await found : found;
  const given = checkArguments(tool, validator, args, loaded.argumentNames(tool.name));
  const input = clampNumbers(tool, plan, given, evidence);
  evidence.input = input;
  state.input = input;
  if (tool.effect === "edit") state.since = await state.pool.moment();
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
