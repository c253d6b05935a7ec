/** Warnings about caps, waits and timeouts that are above what limits them, wherever a config can set one. */
import type { ArgPlan, DialectPlan, LimitsPlan, MemberPlan, StepPlan, ToolPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import type { Config, StepConfig, ToolConfig } from "../config/schema.js";
import { mostQuestions, snippetLimits } from "../protocol/bounds.js";
import { argAt } from "./arguments.js";
import { defaultHttp } from "./defaults.js";
import type { Report } from "./report.js";
import { alternativesOf, lastStep } from "./step-values.js";

export interface CapScope {
  config: Config;
  limits: LimitsPlan;
  dialect: DialectPlan;
  /** The layer of a value: the name of a shipped config, or `config`. */
  origin(pointer: string): string;
}

/** The limit of waits: a call that waits longer has no answer. */
const callTime = "the tool's `timeout_ms`";

/** A value, what limits it, and the words for that limit. */
type Check = (value: unknown, limit: number, key: string, ...at: (string | number)[]) => void;

/**
 * Warns of a cap above its limit, and of an argument that cannot be a cap.
 * A shipped layer may have one, for configs with other limits.
 */
function checker({ origin }: CapScope, args: readonly ArgPlan[], report: Report): Check {
  return (value, limit, key, ...at) => {
    const own = report.at(...at);
    if (value === undefined || origin(own.pointer) !== "config") return;
    const fix = `Write at most ${limit}, or raise ${key}.`;
    const then = key === callTime ? "so the call ends before" : `so ${limit} is used`;
    if (typeof value === "number" && value > limit)
      own.add("plan/cap-above-limit", `The value ${value} is above ${key}, ${then}.`, fix);
    const name = argumentIn(value);
    const arg = name === undefined ? undefined : argAt(args, name.split("."));
    if (arg === undefined) return;
    if (arg.type !== "integer" && arg.type !== "number") {
      own.add(
        "plan/bad-step",
        `The argument \`${name}\` is no number.`,
        'Declare it with `type = "integer"`.',
      );
      return;
    }
    const most = largest(arg);
    if (most === undefined)
      own.add(
        "plan/cap-above-limit",
        `The argument \`${name}\` has no \`maximum\`, so a call may give more than ${key}, which is ${limit}.`,
        `Give the argument a \`maximum\` of at most ${limit}.`,
      );
    else if (most > limit)
      own.add(
        "plan/cap-above-limit",
        `The argument \`${name}\` may be ${most}, which is above ${key}, ${then}.`,
        `Give the argument a \`maximum\` of at most ${limit}, or raise ${key}.`,
      );
  };
}

/** The argument that a value refers to. */
function argumentIn(value: unknown): string | undefined {
  const from = isTable(value) ? value.from : undefined;
  return typeof from === "string" && from.startsWith("input.") ? from.slice("input.".length) : undefined;
}

/** The largest number that a call may give; undefined if there is no bound. */
function largest({ enum: values, maximum }: ArgPlan): number | undefined {
  if (values !== null) return Math.max(...values.filter((value) => typeof value === "number"));
  return maximum ?? undefined;
}

/** The key that limits the items of a tool. */
function itemsKey({ maxItems }: ToolPlan, limits: LimitsPlan): string {
  return maxItems < limits.maxItems ? "the tool's `max_items`" : "`limits.max_items`";
}

/** The caps of a tool, its output and its steps. */
export function checkToolCaps(plan: ToolPlan, given: ToolConfig, scope: CapScope, report: Report): void {
  const { limits, config } = scope;
  const check = checker(scope, plan.args, report);
  check(given.max_items, limits.maxItems, "`limits.max_items`", "max_items");
  check(given.max_bytes, limits.maxBytes, "`limits.max_bytes`", "max_bytes");
  check(given.timeout_ms, limits.timeoutMs, "`limits.timeout_ms`", "timeout_ms");
  const most = plan.page?.maxSize ?? plan.maxItems;
  const key = most === plan.maxItems ? itemsKey(plan, limits) : "the largest page";
  check(given.default_items, most, key, "default_items");
  const past = config.dialect?.listing?.refuse_past;
  if (past !== undefined) check(given.refuse_past, past, "`dialect.listing.refuse_past`", "refuse_past");
  checkRetry(given.retry_empty, plan, check, "retry_empty");
  if (typeof given.output === "object") checkOutput(given.output, plan, scope, check);
  given.steps?.forEach((step, index) => {
    checkStep(step, plan, limits, checker(scope, plan.args, report.at("steps", index)));
  });
}

function checkOutput(
  { max_chars: chars, snippet = {}, members = {} }: Exclude<NonNullable<ToolConfig["output"]>, string>,
  { maxBytes }: ToolPlan,
  scope: CapScope,
  check: Check,
): void {
  const { limits } = scope;
  const most = charLimit(limits.maxTotalCharsHard, formsOf(scope) * maxBytes);
  check(chars, most.limit, most.key, "output", "max_chars");
  const { contextLines, maxChars } = snippetLimits;
  check(
    snippet.context_lines,
    contextLines.most,
    "the most lines of a snippet",
    "output",
    "snippet",
    "context_lines",
  );
  check(
    snippet.max_chars,
    maxChars.most,
    "the most characters of a snippet",
    "output",
    "snippet",
    "max_chars",
  );
  for (const [name, { max_items: items }] of Object.entries(members))
    check(items, limits.maxItems, "`limits.max_items`", "output", "members", name, "max_items");
}

/** The most characters: those that may be asked for, or what the bytes of an answer allow. */
function charLimit(hard: number, bytes: number): { limit: number; key: string } {
  return bytes < hard
    ? { limit: bytes, key: "what `max_bytes` allows" }
    : { limit: hard, key: "`mcp.output.max_total_chars_hard`" };
}

/** The number of forms in which an answer is sent. Characters are counted in all, bytes in each. */
function formsOf({ dialect: { result, outputSchemas } }: CapScope): number {
  return result === "both" || (result === "text" && outputSchemas) ? 2 : 1;
}

function checkRetry(
  retry: StepConfig["retry_empty"],
  { timeoutMs }: ToolPlan,
  check: Check,
  ...at: string[]
): void {
  check(retry?.delay_ms, timeoutMs, callTime, ...at, "delay_ms");
  check(retry?.max_delay_ms, timeoutMs, callTime, ...at, "max_delay_ms");
}

function checkStep(step: StepConfig, plan: ToolPlan, limits: LimitsPlan, check: Check): void {
  const { timeoutMs } = plan;
  const { wait_ms: wait, settle_ms: settle } = step;
  check(wait, timeoutMs, callTime, "wait_ms");
  check(step.first_wait_ms, timeoutMs, callTime, "first_wait_ms");
  if (typeof wait === "number" && wait < timeoutMs) check(settle, wait, "`wait_ms`", "settle_ms");
  else check(settle, timeoutMs, callTime, "settle_ms");
  checkRetry(step.retry_empty, plan, check, "retry_empty");
  check(step.each?.limit, mostQuestions, "the most items that are asked about", "each", "limit");
  const cap = shownCap(step.id, plan, limits);
  if (cap !== undefined) check(step.limit, cap.limit, cap.key, "limit");
}

/** The limit for the shown items of a step: all in one answer, or as a member of it. */
function shownCap(
  id: string,
  plan: ToolPlan,
  limits: LimitsPlan,
): { limit: number; key: string } | undefined {
  const { steps, output, page, maxItems } = plan;
  const isWayOf = (step: StepPlan | undefined) =>
    step !== undefined && alternativesOf(step, steps).some((alternative) => alternative.id === id);
  if (output.shape !== "members") {
    // Pages show all items.
    return page === null && isWayOf(lastStep(steps))
      ? { limit: maxItems, key: itemsKey(plan, limits) }
      : undefined;
  }
  const isOf = ({ step }: MemberPlan) => isWayOf(steps.find((other) => other.id === step));
  const shown = output.members.filter(isOf);
  // A count counts all items.
  if (shown.length === 0 || shown.some(({ shape }) => shape === "count")) return undefined;
  return { limit: Math.max(...shown.map((member) => member.maxItems)), key: "the member's `max_items`" };
}

/** The caps of the config's own tables. */
export function checkTableCaps(scope: CapScope, report: Report): void {
  const { config, limits } = scope;
  const check = checker(scope, [], report);
  const { max_total_chars_default: chars, max_total_chars_hard: hard = limits.maxTotalCharsHard } =
    config.mcp?.output ?? {};
  const most = charLimit(hard, formsOf(scope) * limits.maxBytes);
  check(chars, most.limit, most.key, "mcp", "output", "max_total_chars_default");
  const own = config.limits ?? {};
  check(own.diagnostics_per_file, limits.maxItems, "`limits.max_items`", "limits", "diagnostics_per_file");
  for (const key of ["after_edit_per_file", "after_edit_other_files"] as const)
    check(own[key], limits.afterEditTotal, "`limits.after_edit_total`", "limits", key);
  const text = charLimit(limits.maxTotalCharsHard, limits.maxBytes);
  for (const key of textCaps) check(own[key], text.limit, text.key, "limits", key);
  const { http = {} } = config;
  const { max_calls: calls = defaultHttp.maxCalls, body_timeout_ms: body = defaultHttp.bodyTimeoutMs } = http;
  check(http.max_calls_per_session, calls, "`http.max_calls`", "http", "max_calls_per_session");
  check(http.headers_timeout_ms, body, "`http.body_timeout_ms`", "http", "headers_timeout_ms");
  config.servers?.forEach((server, index) => {
    const time = (value: unknown, ...at: string[]) =>
      check(value, limits.timeoutMs, "`limits.timeout_ms`", "servers", index, ...at);
    time(server.request_timeout_ms, "request_timeout_ms");
    for (const [method, value] of Object.entries(server.request_timeout_overrides_ms ?? {}))
      time(value, "request_timeout_overrides_ms", method);
  });
}

/** Caps of texts in an answer. */
const textCaps = [
  "hover_chars",
  "completion_chars",
  "signature_chars",
  "tooltip_chars",
  "diagnostic_chars",
  "fix_chars",
] as const satisfies readonly (keyof NonNullable<Config["limits"]>)[];
