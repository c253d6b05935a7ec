/** What an agent may do when an answer was cut and has no next page: the same call with more room, or a narrower one. */
import type { Anchor } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { NextStep } from "../base/problem.js";
import type { CallState } from "./call-state.js";

/** How an answer was cut. */
export interface Cut {
  /** Items found, and those that are shown. */
  total: number;
  shown: number;
  /** Whether the size of the answer cut it, rather than a number of items. */
  isSize: boolean;
}

const narrower: readonly [Anchor, string][] = [
  ["range", "Give a smaller range."],
  ["query", "Give a longer query."],
];

/** The steps that lead on, the most useful first. */
export function waysOn(call: CallState, cut: Cut): NextStep[] {
  const again = cut.isSize ? moreRoom(call) : moreItems(call, cut);
  const { tool, input } = call;
  if (again !== undefined)
    return [{ kind: "tool", tool: tool.name, arguments: { ...input, ...again.args }, why: again.why }];
  const own = narrower.flatMap(([anchor, text]) => (tool.input.includes(anchor) ? [text] : []));
  return [{ kind: "doc", text: own[0] ?? "Ask about a smaller part: a file, a symbol, a position." }];
}

function moreItems({ plan, tool, input }: CallState, { total, shown }: Cut) {
  const { most } = plan.dialect.listing;
  const next = Math.min(total, tool.maxItems);
  const asked = input[most] ?? tool.defaultItems;
  const isAsked = typeof asked === "number" && asked < next;
  if (most === "" || tool.page !== null || !isAsked || next <= shown) return undefined;
  return { args: { [most]: next } satisfies JsonObject, why: `it shows ${next} of ${total}` };
}

function moreRoom({ plan, tool, input }: CallState) {
  const { maxChars } = tool.output;
  if (maxChars?.kind !== "ref" || maxChars.ref.name === null) return undefined;
  const { name } = maxChars.ref;
  const arg = tool.args.find((entry) => entry.name === name);
  const most = Math.min(plan.limits.maxTotalCharsHard, arg?.maximum ?? Number.POSITIVE_INFINITY);
  const asked = input[name] ?? plan.limits.maxTotalChars;
  if (typeof asked !== "number" || asked >= most) return undefined;
  return { args: { [name]: most } satisfies JsonObject, why: `it gives the answer ${most} characters` };
}
