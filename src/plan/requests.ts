/** Steps of kind `request`: the method must be known, and the tool's input must be able to fill the parameter base. */
import type { Anchor, EachPlan, ParamsPlan, Ref, RetryPlan, Template } from "../abi/plan.js";
import { fromPointer } from "../base/json.js";
import type { StepConfig } from "../config/schema.js";
import { paramsBases } from "../protocol/anchors.js";
import { methodNames, methods } from "../protocol/methods.js";
import { isReserved, notifications } from "../protocol/notifications.js";
import { defaultStep } from "./defaults.js";
import { buildTemplate, parseRef, type Scope } from "./references.js";
import { quoted, type Report } from "./report.js";
import type { StepContext } from "./steps.js";

/** The members of a `request` step that other steps do not have. */
export function buildRequest(step: StepConfig, scope: Scope, context: StepContext, report: Report) {
  const method = step.method ?? "";
  if (step.method !== undefined) checkMethod(method, context, report.at("method"));
  const params = buildParams(step.params, scope, context, report.at("params"));
  const each = step.each ? buildEach(step.each, "request", scope, report.at("each")) : null;
  const fix = "Build the parameters from `each` in `set`.";
  if (step.each && params.base !== "none")
    report.at("params").add("plan/bad-step", "A step with `each` takes no parameter base.", fix);
  return {
    method,
    params,
    each,
    retryEmpty: buildRetry(step.retry_empty),
    merge: step.merge ?? methods[method]?.merge ?? ("first" as const),
  };
}

/** The members of a `notify` step that other steps do not have. */
export function buildNotification(step: StepConfig, scope: Scope, context: StepContext, report: Report) {
  const method = step.method ?? "";
  if (step.method !== undefined) checkNotification(method, context, report.at("method"));
  return { method, params: buildParams(step.params, scope, context, report.at("params")) };
}

/** The `each` of a step; `kind` is the kind of the step. */
export function buildEach(
  { from: text, limit, lacking, keep = false, depth, next }: NonNullable<StepConfig["each"]>,
  kind: "request" | "tool",
  scope: Scope,
  report: Report,
): EachPlan | null {
  const outer = { ...scope, each: false };
  // A tool checks what it is given, so it may be called for each item that the client names.
  const isArgument = kind === "tool" && text.startsWith("input.");
  const from = isArgument
    ? parseRef(text, outer, report.at("from"))
    : parseStepRef(text, "`each` repeats over", outer, report.at("from"));
  const bad = (key: string, message: string) => report.at(key).add("plan/bad-step", message, "Remove it.");
  if (lacking !== undefined && (keep || depth !== undefined || kind === "tool"))
    bad("lacking", "`lacking` completes the items of a request, and goes with neither `keep` nor `depth`.");
  if (depth !== undefined && (keep || kind === "tool"))
    bad("depth", "`depth` is for requests, and its results have their items already.");
  if (next !== undefined && depth === undefined) bad("next", "`next` needs `depth`.");
  if (!from) return null;
  return {
    from,
    limit: numberOrArgument(limit ?? defaultStep.eachLimit, scope, report.at("limit")),
    lacking: lacking?.split(".") ?? null,
    keep,
    depth: depth ?? null,
    next: fromPointer(next ?? ""),
  };
}

/** A reference that must name an earlier step; other references are reported. */
export function parseStepRef(text: string, what: string, scope: Scope, report: Report): Ref | undefined {
  const ref = parseRef(text, scope, report);
  if (ref && ref.root !== "step")
    report.add(
      "plan/bad-reference",
      `${what} the items of an earlier step.`,
      'Refer to a step: `from = "step.ID"`.',
    );
  return ref;
}

function checkMethod(method: string, { config }: StepContext, report: Report): void {
  if (method === "workspace/executeCommand") {
    const fix = 'Use `kind = "execute_command"`, which runs allowed commands only.';
    report.add("plan/bad-step", "`workspace/executeCommand` is not sent as a request.", fix);
    return;
  }
  if (refuseReserved(method, report)) return;
  if (notifications.includes(method)) {
    report.add("plan/bad-step", `\`${method}\` is a notification.`, 'Set `kind = "notify"` on the step.');
    return;
  }
  const known = [
    ...methodNames,
    ...(config.methods ?? []).filter((entry) => !entry.notification).map((entry) => entry.method),
  ];
  if (!known.includes(method)) report.unknown("plan/unknown-method", "The method", method, known);
}

/** Reports a message that would change the state of a server without the proxy; whether it is one. */
function refuseReserved(method: string, report: Report): boolean {
  if (!isReserved(method)) return false;
  const message = `\`${method}\` is sent by the proxy itself, which knows the state of the server and its documents.`;
  report.add("plan/bad-step", message, "Use another method.");
  return true;
}

function checkNotification(method: string, { config }: StepContext, report: Report): void {
  if (refuseReserved(method, report)) return;
  // Some servers look only at the name: a command would run, allowed or not.
  if (methodNames.includes(method)) {
    report.add("plan/bad-step", `\`${method}\` is a request.`, "Use a step of another kind.");
    return;
  }
  const own = (config.methods ?? []).filter((entry) => entry.notification).map((entry) => entry.method);
  const known = [...notifications, ...own];
  if (!known.includes(method)) report.unknown("plan/unknown-method", "The notification", method, known);
}

function buildParams(
  params: StepConfig["params"],
  scope: Scope,
  { input }: StepContext,
  report: Report,
): ParamsPlan {
  const table = typeof params === "string" ? { base: params, set: undefined } : (params ?? {});
  const at = typeof params === "string" ? report : report.at("base");
  const isEmpty = table.set === undefined || Object.keys(table.set).length === 0;
  const set = isEmpty ? null : buildTemplate(table.set, scope, report.at("set"));
  // The parameters of a method such as `completionItem/resolve` are the item itself.
  if (set?.kind === "ref" && set.ref.root !== "each")
    report.at("set").add("plan/bad-step", "`set` must be a table or a reference to `each`.");
  const base = table.base ?? "none";
  const isKnown = (name: string): name is ParamsPlan["base"] => Object.hasOwn(paramsBases, name);
  if (!isKnown(base)) {
    at.unknown("plan/unknown-base", "The parameter base", base, Object.keys(paramsBases));
    return { base: "none", set };
  }
  const { anchors } = paramsBases[base];
  const missing = pointingAnchors(input).filter((anchor) => !anchors.includes(anchor));
  if (missing.length > 0)
    at.add(
      "plan/base-needs-anchor",
      `The base \`${base}\` cannot be filled from the input ${quoted(missing)}.`,
      `Point by ${quoted(anchors, " or ")}, or use another base.`,
    );
  return { base, set };
}

/** The anchors without `query`, which is an additional argument; `query` alone means the workspace. */
export function pointingAnchors(input: readonly Anchor[]): Anchor[] {
  const pointing = input.filter((anchor) => anchor !== "query");
  return pointing.length > 0 ? pointing : ["workspace"];
}

function buildRetry(retry: StepConfig["retry_empty"]): RetryPlan | null {
  if (!retry) return null;
  return {
    attempts: retry.attempts,
    delayMs: retry.delay_ms,
    ...(retry.max_delay_ms === undefined ? {} : { maxDelayMs: retry.max_delay_ms }),
    while: retry.while ?? "not_ready",
  };
}

/** The limit of an `each`, or the wait of a `diagnostics` step: a number or an argument. */
export function numberOrArgument(given: number | { from: string }, scope: Scope, report: Report): Template {
  if (typeof given === "number") return { kind: "literal", value: given };
  const built = buildTemplate(given, scope, report);
  const fix = 'Write the number, or `{ from = "input.NAME" }`.';
  if (built.kind === "ref" && built.ref.root !== "input")
    report.add("plan/bad-step", "The value is neither a number nor an argument.", fix);
  return built;
}
