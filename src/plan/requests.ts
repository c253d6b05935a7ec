/** Steps of kind `request`: the method must be known, and the tool's input must be able to fill the parameter base. */
import type { Anchor, ParamsPlan, RetryPlan, Template } from "../abi/plan.js";
import type { StepConfig } from "../config/schema.js";
import { paramsBases } from "../protocol/anchors.js";
import { methodNames, methods } from "../protocol/methods.js";
import { defaultStep } from "./defaults.js";
import { buildTemplate, parseRef, type Scope } from "./references.js";
import type { Report } from "./report.js";
import type { StepContext } from "./steps.js";

/** The members of a `request` step that other steps do not have. */
export function buildRequest(step: StepConfig, pointer: string, scope: Scope, context: StepContext) {
  const method = step.method ?? "";
  if (step.method !== undefined) checkMethod(method, `${pointer}/method`, context);
  const params = buildParams(step.params, `${pointer}/params`, scope, context);
  const from = step.each
    ? parseRef(step.each.from, `${pointer}/each/from`, { ...scope, each: false }, context.report)
    : undefined;
  if (step.each && from && from.root !== "step")
    context.report.add(
      "plan/bad-reference",
      `${pointer}/each/from`,
      "`each` repeats over the items of an earlier step.",
      'Refer to a step: `from = "step.ID"`.',
    );
  if (step.each && params.base !== "none")
    context.report.add(
      "plan/bad-step",
      `${pointer}/params`,
      "A step with `each` takes no parameter base.",
      "Build the parameters from `each` in `set`.",
    );
  return {
    method,
    params,
    each:
      step.each && from
        ? {
            from,
            limit: buildLimit(step.each.limit, `${pointer}/each/limit`, scope, context.report),
            lacking: step.each.lacking?.split(".") ?? null,
          }
        : null,
    retryEmpty: buildRetry(step.retry_empty),
    merge: step.merge ?? methods[method]?.merge ?? ("first" as const),
  };
}

function checkMethod(method: string, pointer: string, context: StepContext): void {
  if (method === "workspace/executeCommand") {
    context.report.add(
      "plan/bad-step",
      pointer,
      "`workspace/executeCommand` is not sent as a request.",
      'Use `kind = "execute_command"`, which runs allowed commands only.',
    );
    return;
  }
  const known = [...methodNames, ...(context.config.methods ?? []).map((entry) => entry.method)];
  if (!known.includes(method))
    context.report.unknown("plan/unknown-method", pointer, "The method", method, known);
}

function buildParams(
  params: StepConfig["params"],
  pointer: string,
  scope: Scope,
  context: StepContext,
): ParamsPlan {
  const table = typeof params === "string" ? { base: params, set: undefined } : (params ?? {});
  const at = typeof params === "string" ? pointer : `${pointer}/base`;
  const isEmpty = table.set === undefined || Object.keys(table.set).length === 0;
  const set = isEmpty ? null : buildTemplate(table.set, `${pointer}/set`, scope, context.report);
  // The parameters of a method such as `completionItem/resolve` are the item itself.
  if (set?.kind === "ref" && set.ref.root !== "each")
    context.report.add("plan/bad-step", `${pointer}/set`, "`set` must be a table or a reference to `each`.");
  const base = table.base ?? "none";
  const isKnown = (name: string): name is ParamsPlan["base"] => Object.hasOwn(paramsBases, name);
  if (!isKnown(base)) {
    context.report.unknown("plan/unknown-base", at, "The parameter base", base, Object.keys(paramsBases));
    return { base: "none", set };
  }
  const missing = pointingAnchors(context.input).filter(
    (anchor) => !paramsBases[base].anchors.includes(anchor),
  );
  if (missing.length > 0)
    context.report.add(
      "plan/base-needs-anchor",
      at,
      `The base \`${base}\` cannot be filled from the input ${missing.map((name) => `\`${name}\``).join(", ")}.`,
      `Point by ${paramsBases[base].anchors.map((name) => `\`${name}\``).join(" or ")}, or use another base.`,
    );
  return { base, set };
}

/** The anchors without `query`, which is an additional argument; `query` alone means the workspace. */
export function pointingAnchors(input: readonly Anchor[]): Anchor[] {
  const pointing = input.filter((anchor) => anchor !== "query");
  return pointing.length > 0 ? pointing : ["workspace"];
}

function buildRetry(retry: StepConfig["retry_empty"]): RetryPlan | null {
  return retry
    ? {
        attempts: retry.attempts,
        delayMs: retry.delay_ms,
        while: retry.while ?? "not_ready",
      }
    : null;
}

/** The limit of an `each`: a number or an argument. */
function buildLimit(
  given: number | { from: string } | undefined,
  pointer: string,
  scope: Scope,
  report: Report,
): Template {
  if (typeof given !== "object") return { kind: "literal", value: given ?? defaultStep.eachLimit };
  const limit = buildTemplate(given, pointer, scope, report);
  if (limit.kind === "ref" && limit.ref.root !== "input")
    report.add(
      "plan/bad-step",
      pointer,
      "The limit is neither a number nor an argument.",
      'Write the number, or `{ from = "input.NAME" }`.',
    );
  return limit;
}
