/** One call of one tool, as its handler sees it: it points, asks, and shapes. */
import type { Answer, AnswerOptions, At, Call, Reply } from "../abi/handler.js";
import type { RuntimeAction, ShapeName } from "../abi/plan.js";
import type { Json, JsonObject } from "../base/json.js";
import { getAt } from "../base/pointer.js";
import { runAction } from "./actions.js";
import { buildAnswer } from "./answer.js";
import { openAt } from "./at.js";
import type { CallState } from "./call-state.js";
import { point } from "./point.js";
import { openReply, sealReply, wholeValue } from "./reply.js";

/** How a call reaches another tool: its structured answer, refusals included. */
export type CallTool = (name: string, args: Json) => Promise<JsonObject>;

/** The ABI's `Call`, over the state of one call. */
export class ToolCall implements Call {
  readonly #state: CallState;
  readonly #callTool: CallTool;

  constructor(state: CallState, callTool: CallTool) {
    this.#state = state;
    this.#callTool = callTool;
  }

  async at(input: JsonObject): Promise<At> {
    return openAt(this.#state, await point(this.#state, input));
  }

  pick(reply: Reply, path: string[]): Json {
    return (getAt(wholeValue(openReply(reply)), path) ?? null) as Json;
  }

  async tool(name: string, args: Json): Promise<Reply> {
    return ownReply(await this.#callTool(name, args));
  }

  async runtime(action: RuntimeAction, args: Json): Promise<Reply> {
    return ownReply(await runAction(this.#state, action, args));
  }

  gather(parts: { [step: string]: Reply }): Reply {
    return ownReply(
      Object.fromEntries(Object.entries(parts).map(([id, reply]) => [id, wholeValue(openReply(reply))])),
    );
  }

  answer(shape: ShapeName, value: Reply, options: AnswerOptions = {}): Promise<Answer> {
    return buildAnswer(this.#state, shape, openReply(value), options);
  }
}

/** A reply that comes from the runtime itself. */
function ownReply(value: unknown): Reply {
  return sealReply({ parts: [{ server: undefined, value }], perItem: false });
}
