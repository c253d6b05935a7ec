/** The steps of a tool → StepPlans. Each kind of step has its own keys; a key of another kind is a problem. */
import type { Anchor, Ref, RuntimeAction, ShapeName, StepPlan, Template } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import type { Config, StepConfig } from "../config/schema.js";
import { actions } from "../protocol/actions.js";
import { defaultStep } from "./defaults.js";
import { buildTemplate, parseRef, type Scope } from "./references.js";
import type { Report } from "./report.js";
import { buildRequest, pointingAnchors } from "./requests.js";

export interface StepContext {
  config: Config;
  input: readonly Anchor[];
  /** The names that references `input.X` may use. */
  inputs: readonly string[];
  report: Report;
}

type Kind = StepPlan["kind"];

const keysOf: { [kind in Kind]: readonly string[] } = {
  request: ["method", "params", "each", "optional", "expect", "merge", "retry_empty"],
  diagnostics: ["wait_ms", "settle_ms"],
  execute_command: ["command", "arguments"],
  tool: ["tool", "args"],
  batch: ["tools", "options"],
  choose: ["from", "item"],
  runtime: ["action", "args"],
};

/** The steps in order. References in a step may use earlier steps. */
export function buildSteps(
  steps: readonly StepConfig[],
  pointerOf: (index: number) => string,
  context: StepContext,
): StepPlan[] {
  const before: string[] = [];
  return steps.map((step, index) => {
    const at = pointerOf(index);
    if (before.includes(step.id))
      context.report.add(
        "plan/bad-step",
        `${at}/id`,
        `Two steps have the id \`${step.id}\`.`,
        "Rename one of them.",
      );
    const built = buildStep(step, at, scopeOf(context, before, step.each !== undefined), context);
    before.push(step.id);
    return built;
  });
}

function scopeOf(context: StepContext, steps: readonly string[], each: boolean): Scope {
  return {
    inputs: context.inputs,
    steps: [...steps],
    each,
    document: context.input.some((anchor) => anchor !== "workspace" && anchor !== "query"),
  };
}

function buildStep(step: StepConfig, pointer: string, scope: Scope, context: StepContext): StepPlan {
  const kind: Kind = step.kind ?? (step.tool === undefined ? "request" : "tool");
  checkKeys(step, kind, pointer, context.report);
  const common = {
    id: step.id,
    optional: step.optional ?? false,
    expect: step.expect ?? "any",
  };
  const template = (value: unknown, key: string) =>
    buildTemplate(value, `${pointer}/${key}`, scope, context.report);
  switch (kind) {
    case "request":
      return { kind, ...common, ...buildRequest(step, pointer, scope, context) };
    case "diagnostics":
      return {
        kind,
        ...common,
        waitMs: step.wait_ms ?? defaultStep.waitMs,
        settleMs: step.settle_ms ?? defaultStep.settleMs,
      };
    case "execute_command": {
      const list = step.arguments === undefined ? null : template(step.arguments, "arguments");
      if (list?.kind === "table" || (list?.kind === "literal" && !Array.isArray(list.value)))
        context.report.add("plan/bad-step", `${pointer}/arguments`, "`arguments` is not a list.");
      return {
        kind,
        ...common,
        command: template(step.command ?? null, "command"),
        arguments: list,
      };
    }
    case "tool":
      return {
        kind,
        ...common,
        tool: step.tool ?? "",
        args: toolArgs(step.args, `${pointer}/args`, template, context),
      };
    case "batch":
      return {
        kind,
        ...common,
        tools: sortedSet(step.tools ?? []),
        operations: inputOf("operations"),
        options: step.options ?? null,
        parallel: optionOf("parallel", step.options),
        stopOnError: optionOf("stop_on_error", step.options),
      };
    case "choose":
      return { kind, ...common, ...buildChoice(step, pointer, scope, template, context) };
    case "runtime":
      return {
        kind,
        ...common,
        action: runtimeAction(step.action, `${pointer}/action`, context.report),
        args: step.args === undefined ? null : template(step.args, "args"),
      };
  }
}

/** The list that a `choose` step selects from, and the id that it selects. */
function buildChoice(
  step: StepConfig,
  pointer: string,
  scope: Scope,
  template: (value: unknown, key: string) => Template,
  { report }: StepContext,
): { from: Ref; item: Template } {
  const from = parseRef(step.from ?? "", `${pointer}/from`, scope, report);
  if (from !== undefined && from.root !== "step")
    report.add(
      "plan/bad-reference",
      `${pointer}/from`,
      "`choose` selects from the items of an earlier step.",
      'Refer to a step: `from = "step.ID"`.',
    );
  return {
    from: from ?? { root: "step", name: "", path: [] },
    item: template(step.item ?? null, "item"),
  };
}

/** A batch gets its operations and options from implicit arguments. */
function inputOf(name: string): Template {
  return { kind: "ref", ref: { root: "input", name, path: [] } };
}

function optionOf(name: string, table: string | undefined): Template {
  if (table === undefined) return inputOf(name);
  return { kind: "ref", ref: { root: "input", name: table, path: [name] } };
}

function toolArgs(
  args: unknown,
  pointer: string,
  template: (value: unknown, key: string) => Template,
  context: StepContext,
): Template {
  const built = template(args ?? {}, "args");
  const isTableLike =
    built.kind === "table" ||
    (built.kind === "ref" && built.ref.root === "input" && built.ref.name === null) ||
    (built.kind === "literal" && isTable(built.value));
  if (!isTableLike)
    context.report.add("plan/bad-step", pointer, '`args` is neither a table nor `{ from = "input" }`.');
  return built;
}

function checkKeys(step: StepConfig, kind: Kind, pointer: string, report: Report): void {
  const allowed = [...keysOf[kind], "id", "kind"];
  for (const [key, value] of Object.entries(step)) {
    if (value !== undefined && !allowed.includes(key))
      report.add(
        "plan/bad-step",
        `${pointer}/${key}`,
        `A step of kind \`${kind}\` has no key \`${key}\`.`,
        `Remove it; such a step takes ${keysOf[kind].map((name) => `\`${name}\``).join(", ")}.`,
      );
  }
  const needed = {
    request: "method",
    execute_command: "command",
    tool: "tool",
    runtime: "action",
    choose: "from",
    diagnostics: null,
    batch: null,
  }[kind] as keyof StepConfig | null;
  if (needed !== null && step[needed] === undefined)
    report.add(
      "plan/bad-step",
      pointer,
      `The step \`${step.id}\` of kind \`${kind}\` needs \`${needed}\`.`,
      `Add \`${needed}\`.`,
    );
}

function runtimeAction(action: string | undefined, pointer: string, report: Report): RuntimeAction {
  const isKnown = (name: string): name is RuntimeAction => Object.hasOwn(actions, name);
  if (action !== undefined && isKnown(action)) return action;
  if (action !== undefined)
    report.unknown("plan/unknown-action", pointer, "The runtime action", action, Object.keys(actions));
  return "server_status";
}

/** Checks that `diagnostics` steps fit the input and the shape, and come before the requests that use them. */
export function checkDiagnostics(
  steps: readonly StepPlan[],
  input: readonly Anchor[],
  shape: ShapeName,
  pointerOf: (index: number) => string,
  report: Report,
): void {
  const asked = steps.findIndex((step) => step.kind === "diagnostics");
  const isWorkspace = pointingAnchors(input).includes("workspace");
  if (asked >= 0 && isWorkspace && shape !== "workspace_diagnostics")
    report.add(
      "plan/base-needs-anchor",
      pointerOf(asked),
      "A step of kind `diagnostics` asks about a document.",
      'Use `input = "document"`, or the shape `workspace_diagnostics`.',
    );
  if (
    asked >= 0 &&
    shape === "workspace_diagnostics" &&
    pointingAnchors(input).some((anchor) => anchor !== "workspace")
  )
    report.add(
      "plan/base-needs-anchor",
      pointerOf(asked),
      "The shape `workspace_diagnostics` is about the whole workspace.",
      'Use `input = "workspace"`, or the shape `diagnostics`.',
    );
  steps.forEach((step, index) => {
    const needs = step.kind === "request" && step.params.base === "text_document_range_diagnostics";
    if (needs && (asked < 0 || asked > index))
      report.add(
        "plan/bad-step",
        `${pointerOf(index)}/params`,
        "The base `text_document_range_diagnostics` needs a step of kind `diagnostics` before it.",
        'Add a step with `kind = "diagnostics"`, or use `text_document_range`.',
      );
  });
}
