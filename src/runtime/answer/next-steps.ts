/**
 * The next steps that an answer or a refusal suggests: what to call when an answer was cut, and what to call after a
 * refusal. Tools are found by what they do, never by name. Only tools that read are suggested.
 */
import type { Anchor, DialectPlan, Plan, ToolPlan } from "../../abi/plan.js";
import type { Code } from "../../base/codes.js";
import type { JsonObject } from "../../base/json.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import { pointingFields } from "../../protocol/pointing.js";
import type { CallState } from "../call-state.js";
import { identifierOf, nameAndIndex } from "../point/symbol-names.js";

interface Cut {
  /** Items found, and items shown. */
  total: number;
  shown: number;
  /** Whether the answer's size was the limit, rather than a number of items. */
  isSize: boolean;
  /** Whether more items were found than are kept for paging. */
  isBounded?: boolean;
}

const narrowerArguments: readonly [Anchor, string][] = [
  ["range", "Give a smaller range."],
  ["query", "Give a longer query."],
];

/** The steps after an answer that was cut and has no next page. */
export function stepsAfterCut(call: CallState, cut: Cut): NextStep[] {
  if (cut.isBounded && !cut.isSize) return [{ kind: "doc", text: narrowerQuestion(call) }];
  const again = cut.isSize ? withMoreCharacters(call) : withMoreItems(call, cut);
  if (again.length > 0) return again;
  const text = narrowing(call.tool);
  return [text === undefined ? raiseLimit(call, cut) : { kind: "doc", text }];
}

/** The warning of a list with more items than can be listed. */
export function boundedWarning(call: CallState, listed: number, total: number): string {
  return `Of ${total} results the first ${listed} are listed. ${narrowerQuestion(call)}`;
}

/** The refusal of a list with more items than the dialect lists. Some dialects show the message alone. */
export function tooMany(call: CallState, most: number): Refusal {
  const text = narrowerQuestion(call);
  return new Refusal(
    "guard/too-large",
    `More than ${most} results were found; so many are not listed. ${text}`,
    { nextSteps: [{ kind: "doc", text }] },
  );
}

function narrowerQuestion(call: CallState): string {
  return narrowing(call.tool) ?? `No argument of this tool narrows the answer. ${otherQuestion(call)}`;
}

function narrowing({ input }: ToolPlan): string | undefined {
  return narrowerArguments.find(([anchor]) => input.includes(anchor))?.[1];
}

/** The advice where the tool has no argument that narrows the question. */
function otherQuestion({ plan, tool }: CallState): string {
  if (tool.input.some((anchor) => anchor === "position" || anchor === "symbol" || anchor === "text"))
    return "Point at a more specific symbol: a member instead of its type, or a caller instead of a widely used function.";
  if (tool.input.includes("document")) return "Search the text of the file instead.";
  const single = plan.tools.find(
    (entry) =>
      plan.mcp.listed.includes(entry.name) && entry.input.includes("document") && asksTheSame(entry, tool),
  );
  return single === undefined
    ? "Search the files' texts instead."
    : `Ask about single files with ${single.name}.`;
}

/** Whether the last steps of two tools ask the same question. */
function asksTheSame(one: ToolPlan, other: ToolPlan): boolean {
  const last = one.steps.at(-1);
  const otherLast = other.steps.at(-1);
  const isMethod = last?.kind === "request" && otherLast?.kind === "request";
  return last?.kind === otherLast?.kind && (!isMethod || last.method === otherLast.method);
}

/** The same call with a larger character budget, where it has such an argument. */
export function withMoreCharacters({ plan, tool, input }: CallState): NextStep[] {
  const { maxChars } = tool.output;
  if (maxChars?.kind !== "ref" || maxChars.ref.name === null) return [];
  const { name } = maxChars.ref;
  const arg = tool.args.find((entry) => entry.name === name);
  const most = Math.min(plan.limits.maxTotalCharsHard, arg?.maximum ?? Number.POSITIVE_INFINITY);
  const asked = input[name] ?? plan.limits.maxTotalChars;
  if (typeof asked !== "number" || asked >= most) return [];
  return [callAgain(tool, input, { [name]: most }, `it gives the answer ${most} characters`)];
}

function withMoreItems({ plan, tool, input }: CallState, { total, shown }: Cut): NextStep[] {
  const { most } = plan.dialect.listing;
  const next = Math.min(total, tool.maxItems);
  const asked = input[most] ?? tool.defaultItems;
  const isAsked = typeof asked === "number" && asked < next;
  if (most === "" || tool.page !== null || !isAsked || next <= shown) return [];
  return [callAgain(tool, input, { [most]: next }, `it shows ${next} of ${total}`)];
}

/** The config key that allows more, unless the tool itself declares the limit. */
function raiseLimit({ plan: { limits }, tool }: CallState, { isSize }: Cut): NextStep {
  if (isSize) {
    const bytes = tool.maxBytes < limits.maxBytes ? "the tool's own `max_bytes`" : "`limits.max_bytes`";
    return {
      kind: "config",
      text: `No call of this tool shows more; a larger \`mcp.output.max_total_chars_default\` or ${bytes} does.`,
    };
  }
  if (tool.maxItems === limits.maxItems)
    return { kind: "config", text: "No call of this tool shows more; a larger `limits.max_items` does." };
  return { kind: "doc", text: `No call of this tool shows more than ${tool.maxItems} items.` };
}

function callAgain(tool: ToolPlan, input: JsonObject, args: JsonObject, why: string): NextStep {
  return { kind: "tool", tool: tool.name, arguments: { ...input, ...args }, why };
}

/** A refused call; its arguments are empty when they were what was refused. */
interface RefusedCall {
  tool: ToolPlan;
  input: JsonObject;
  dialect: DialectPlan;
}

/** A tool to call after a refusal, and the arguments to call it with; undefined when they are not known. */
interface Suggestion {
  why: string;
  isFor(tool: ToolPlan, refused: RefusedCall): boolean;
  args(refused: RefusedCall): JsonObject | undefined;
}

const listSymbols: Suggestion = {
  why: "it lists the symbols of the file",
  isFor: ({ input, output }) => output.shape === "document_symbols" && input.includes("document"),
  args({ input, dialect: { document } }) {
    const file = input[document.field];
    return file === undefined || file === "" ? undefined : { [document.field]: file };
  },
};

const searchName: Suggestion = {
  why: "it searches the workspace for the name",
  isFor: ({ input, output }) => output.shape === "workspace_symbols" && input.includes("query"),
  args({ input, dialect }) {
    const name = input[dialect.symbol.name];
    return typeof name === "string" ? { [dialect.query]: identifierOf(nameAndIndex(name).name) } : undefined;
  },
};

const serverStatus: Suggestion = {
  why: "it shows the state of the language servers",
  isFor: ({ output }) => output.shape === "server_status",
  args: () => ({}),
};

const listServers: Suggestion = {
  why: "it says which files have a language server",
  isFor: ({ steps }) => steps.some((step) => step.kind === "runtime" && step.action === "list_servers"),
  args: () => ({}),
};

const firstPage: Suggestion = {
  why: "it starts the listing again",
  isFor: (tool, refused) => tool.name === refused.tool.name,
  args({ input, dialect }) {
    const { [dialect.listing.cursor]: _, ...rest } = input;
    return rest;
  },
};

const suggestions: { readonly [code in Code]?: readonly Suggestion[] } = {
  "point/no-symbol": [searchName, listSymbols],
  "point/no-line": [listSymbols],
  "point/out-of-range": [listSymbols],
  "point/incomplete": [listSymbols],
  "lsp/no-answer": [listSymbols],
  "route/no-server": [listServers],
  "lsp/not-supported": [serverStatus],
  "lsp/start-failed": [serverStatus],
  "lsp/exited": [serverStatus],
  "lsp/timeout": [serverStatus],
  "lsp/garbled": [serverStatus],
  "lsp/invalid-reply": [serverStatus],
  "lsp/busy": [serverStatus],
  "page/cursor-invalid": [firstPage],
  "page/cursor-stale": [firstPage],
  "page/cursor-expired": [firstPage],
};

/** The key that gives a call more time: that of the shortest limit. */
function raiseTime({ servers, limits }: Plan, tool: ToolPlan): NextStep {
  const asked = servers.filter(({ id }) => tool.servers?.includes(id) ?? true);
  const request = Math.min(...asked.map(({ requestTimeoutMs }) => requestTimeoutMs));
  const own =
    tool.timeoutMs < limits.timeoutMs ? `\`timeout_ms\` of \`${tool.name}\`` : "`limits.timeout_ms`";
  const keys = [
    ...(request <= tool.timeoutMs ? ["the server's `request_timeout_ms`"] : []),
    ...(request >= tool.timeoutMs ? [own] : []),
  ];
  return { kind: "config", text: `Call again, or raise ${keys.join(" and ")}.` };
}

/** The calls to make after a refusal; `input` is undefined when the arguments themselves were refused. */
export function stepsAfterRefusal(
  plan: Plan,
  tool: ToolPlan,
  code: Code,
  input: JsonObject | undefined,
): NextStep[] {
  const { tools, mcp, dialect } = plan;
  const refused: RefusedCall = { tool, input: input ?? {}, dialect };
  const time = code === "lsp/timeout" ? [raiseTime(plan, tool)] : [];
  const calls = (suggestions[code] ?? []).flatMap((suggestion): NextStep[] => {
    const args = suggestion.args(refused);
    if (args === undefined) return [];
    const next = tools.find(
      (entry) =>
        mcp.listed.includes(entry.name) &&
        entry.effect === "read" &&
        suggestion.isFor(entry, refused) &&
        requiredArguments(entry, dialect).every((name) => Object.hasOwn(args, name)),
    );
    return next === undefined
      ? []
      : [{ kind: "tool", tool: next.name, arguments: args, why: suggestion.why }];
  });
  return [...calls, ...time];
}

function requiredArguments(tool: ToolPlan, dialect: DialectPlan): string[] {
  const own = tool.args.filter((arg) => arg.required).map((arg) => arg.name);
  const pointing = [...pointingFields(tool.input, dialect).required, ...tool.require];
  return [...pointing.map((name) => tool.pointing[name]?.name ?? name), ...own];
}
