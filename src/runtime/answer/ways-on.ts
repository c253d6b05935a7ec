/**
 * What an agent may do when an answer was cut and has no next page, or has too many items for one: the same call with more
 * room, a narrower one where the tool has arguments that narrow, else what there is beside it.
 */
import type { Anchor, ToolPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import type { CallState } from "../call-state.js";

/** How an answer was cut. */
export interface Cut {
  /** Items found, and those that are shown. */
  total: number;
  shown: number;
  /** Whether the size of the answer cut it, rather than a number of items. */
  isSize: boolean;
  /** Whether more was found than can be listed, page by page. */
  isBounded?: boolean;
}

const narrower: readonly [Anchor, string][] = [
  ["range", "Give a smaller range."],
  ["query", "Give a longer query."],
];

/** The steps that lead on, the most useful first. */
export function waysOn(call: CallState, cut: Cut): NextStep[] {
  if (cut.isBounded && !cut.isSize) return [{ kind: "doc", text: otherQuestion(call) }];
  const again = cut.isSize ? moreRoom(call) : moreItems(call, cut);
  if (again.length > 0) return again;
  const text = narrowing(call.tool);
  return [text === undefined ? wider(call, cut) : { kind: "doc", text }];
}

/** What is told of a list with more items than can be listed: the first of them are, in their order. */
export function boundedWarning(call: CallState, listed: number, total: number): string {
  return `Of ${total} results the first ${listed} are listed. ${otherQuestion(call)}`;
}

/** The refusal of a list with more items than the dialect lists. Some dialects tell the message alone. */
export function tooMany(call: CallState, most: number): Refusal {
  const text = otherQuestion(call);
  return new Refusal(
    "guard/too-large",
    `More than ${most} results were found; so many are not listed. ${text}`,
    { nextSteps: [{ kind: "doc", text }] },
  );
}

function otherQuestion(call: CallState): string {
  return narrowing(call.tool) ?? `${unnarrowed} ${elsewhere(call)}`;
}

const unnarrowed = "No argument of this tool narrows the answer.";

function narrowing({ input }: ToolPlan): string | undefined {
  return narrower.find(([anchor]) => input.includes(anchor))?.[1];
}

/** What else may be asked, where the same question cannot be asked of less. */
function elsewhere({ plan, tool }: CallState): string {
  if (tool.input.some((anchor) => anchor === "position" || anchor === "symbol" || anchor === "text"))
    return "Point at a more particular symbol: a member rather than its type, a user rather than what all use.";
  if (tool.input.includes("document")) return "Search the text of the file instead.";
  const single = plan.tools.find(
    (entry) =>
      plan.mcp.listed.includes(entry.name) && entry.input.includes("document") && asksTheSame(entry, tool),
  );
  return single === undefined
    ? "Search the files' texts instead."
    : `Ask about single files with ${single.name}.`;
}

/** Whether two tools end with the same question. */
function asksTheSame(one: ToolPlan, other: ToolPlan): boolean {
  const [last, otherLast] = [one.steps.at(-1), other.steps.at(-1)];
  const isMethod = last?.kind === "request" && otherLast?.kind === "request";
  return last?.kind === otherLast?.kind && (!isMethod || last.method === otherLast.method);
}

/** The same call with more characters, where it may ask for more. */
export function moreRoom({ plan, tool, input }: CallState): NextStep[] {
  const { maxChars } = tool.output;
  if (maxChars?.kind !== "ref" || maxChars.ref.name === null) return [];
  const { name } = maxChars.ref;
  const arg = tool.args.find((entry) => entry.name === name);
  const most = Math.min(plan.limits.maxTotalCharsHard, arg?.maximum ?? Number.POSITIVE_INFINITY);
  const asked = input[name] ?? plan.limits.maxTotalChars;
  if (typeof asked !== "number" || asked >= most) return [];
  return [callAgain(tool, input, { [name]: most }, `it gives the answer ${most} characters`)];
}

/** No call shows more: what does is the config, unless the tool itself is declared so. */
function wider({ plan: { limits }, tool }: CallState, { isSize }: Cut): NextStep {
  if (isSize)
    return {
      kind: "config",
      text: "No call of this tool shows more; a larger `mcp.output.max_total_chars_default` or `limits.max_bytes` does.",
    };
  if (tool.maxItems === limits.maxItems)
    return { kind: "config", text: "No call of this tool shows more; a larger `limits.max_items` does." };
  return { kind: "doc", text: `No call of this tool shows more than ${tool.maxItems} items.` };
}

function moreItems({ plan, tool, input }: CallState, { total, shown }: Cut): NextStep[] {
  const { most } = plan.dialect.listing;
  const next = Math.min(total, tool.maxItems);
  const asked = input[most] ?? tool.defaultItems;
  const isAsked = typeof asked === "number" && asked < next;
  if (most === "" || tool.page !== null || !isAsked || next <= shown) return [];
  return [callAgain(tool, input, { [most]: next }, `it shows ${next} of ${total}`)];
}

function callAgain(tool: ToolPlan, input: JsonObject, args: JsonObject, why: string): NextStep {
  return { kind: "tool", tool: tool.name, arguments: { ...input, ...args }, why };
}
