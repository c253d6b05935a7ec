/** The steps of a tool → StepPlans. Each kind of step has its own keys; a key of another kind is a problem. */
import type { Anchor, Ref, RuntimeAction, ShapeName, StepPlan, Template } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import type { Config, StepConfig } from "../config/schema.js";
import { actions } from "../protocol/actions.js";
import { defaultStep } from "./defaults.js";
import { buildForm } from "./item-forms.js";
import { buildTemplate, type Scope } from "./references.js";
import { quoted, type Report } from "./report.js";
import {
  buildEach,
  buildNotification,
  buildRequest,
  numberOrArgument,
  parseStepRef,
  pointingAnchors,
} from "./requests.js";
import { buildList, buildWhen, checkOrElse, listKeys, placesOf, skipKeys, sourcesOf } from "./step-values.js";

export interface StepContext {
  config: Config;
  input: readonly Anchor[];
  /** The names that references `input.X` may use. */
  inputs: readonly string[];
}

type Kind = StepPlan["kind"];

const keysOf: { [kind in Kind]: readonly string[] } = {
  request: [
    "method",
    "params",
    "each",
    "optional",
    "expect",
    "merge",
    "retry_empty",
    "form",
    ...listKeys,
    ...skipKeys,
  ],
  notify: ["method", "params", ...skipKeys],
  diagnostics: ["wait_ms", "first_wait_ms", "settle_ms", ...listKeys, ...skipKeys],
  execute_command: ["command", "arguments", "uris", "form", ...listKeys, ...skipKeys],
  tool: ["tool", "args", "each", ...listKeys, ...skipKeys],
  batch: ["tools", "edits", "options"],
  choose: ["from", "item"],
  runtime: ["action", "args"],
};

/** The key that a step of a kind must have. */
const neededKeys: { [kind in Kind]?: keyof StepConfig } = {
  request: "method",
  notify: "method",
  execute_command: "command",
  tool: "tool",
  runtime: "action",
  choose: "from",
};

/** The steps in order. References in a step may use earlier steps. */
export function buildSteps(
  steps: readonly StepConfig[],
  context: StepContext,
  reportOf: (index: number) => Report,
): StepPlan[] {
  const ids = steps.map((step) => step.id);
  const places = placesOf(steps);
  const plans = steps.map((step, index) => {
    const report = reportOf(index);
    const before = ids.slice(0, index);
    checkOrElse(steps, index, (other) => keysOf[kindOf(other)].includes("or_else"), report);
    // A step that takes the place of another runs there, and its own name has no value.
    const known = before.filter((_, other) => other < (places[index] ?? index) && places[other] === other);
    if (before.includes(step.id))
      report.at("id").add("plan/bad-step", `Two steps have the id \`${step.id}\`.`, "Rename one of them.");
    const scope = {
      inputs: context.inputs,
      steps: known,
      each: step.each !== undefined,
      document: context.input.some((anchor) => anchor !== "workspace" && anchor !== "query"),
    };
    return buildStep(step, scope, context, report);
  });
  plans.forEach((plan, index) => {
    if (plan.kind === "request" && plan.each !== null)
      checkItems(plan.each.from, plans, reportOf(index).at("each", "from"));
  });
  return plans;
}

/** Checks that the items that a request is about come from a server. */
function checkItems(from: Ref, plans: readonly StepPlan[], report: Report): void {
  const served: readonly Kind[] = ["request", "diagnostics", "execute_command"];
  if (sourcesOf(from, plans).every(({ kind }) => served.includes(kind))) return;
  report.add(
    "plan/bad-step",
    `Items of the step \`${from.name}\` come from no server that could be asked about them.`,
    "Call a tool for each of them, or use the items of a request.",
  );
}

function buildStep(step: StepConfig, scope: Scope, context: StepContext, report: Report): StepPlan {
  const kind = kindOf(step);
  checkKeys(step, kind, report);
  // The list of a step with `each` is what the step gives, not the item that it asks about.
  const outer = { ...scope, each: false };
  const common = {
    id: step.id,
    optional: step.optional ?? false,
    expect: step.expect ?? "any",
    list: buildList(step, kind, outer, report),
    when: buildWhen(step.when, outer, context, report.at("when")),
    orElse: step.or_else ?? null,
    ...(step.form === undefined ? {} : { form: buildForm(step.form, report.at("form")) }),
  };
  const template = (value: unknown, key: string) => buildTemplate(value, scope, report.at(key));
  switch (kind) {
    case "request":
      return { kind, ...common, ...buildRequest(step, scope, context, report) };
    case "notify":
      return { kind, ...common, ...buildNotification(step, scope, context, report) };
    case "diagnostics":
      return {
        kind,
        ...common,
        waitMs: numberOrArgument(step.wait_ms ?? defaultStep.waitMs, scope, report.at("wait_ms")),
        firstWaitMs: step.first_wait_ms ?? null,
        settleMs: step.settle_ms ?? defaultStep.settleMs,
      };
    case "execute_command": {
      const list = step.arguments === undefined ? null : template(step.arguments, "arguments");
      if (list?.kind === "table" || (list?.kind === "literal" && !Array.isArray(list.value)))
        report.at("arguments").add("plan/bad-step", "`arguments` is not a list.");
      return { kind, ...common, command: template(step.command ?? null, "command"), arguments: list };
    }
    case "tool": {
      const args = template(step.args ?? {}, "args");
      const isTableLike =
        args.kind === "table" ||
        (args.kind === "ref" && args.ref.root === "input" && args.ref.name === null) ||
        (args.kind === "literal" && isTable(args.value));
      if (!isTableLike)
        report.at("args").add("plan/bad-step", '`args` is neither a table nor `{ from = "input" }`.');
      const each = step.each ? buildEach(step.each, "tool", scope, report.at("each")) : null;
      return { kind, ...common, tool: step.tool ?? "", args, each };
    }
    case "batch":
      return {
        kind,
        ...common,
        tools: sortedSet(step.tools ?? []),
        operations: inputOf("operations"),
        options: step.options ?? null,
        parallel: optionOf("parallel", step.options),
        stopOnError: optionOf("stop_on_error", step.options),
        edits: step.edits ?? false,
        ...(step.edits || step.options !== undefined
          ? { atomic: optionOf("atomic", step.options), dryRun: optionOf("dry_run", step.options) }
          : {}),
      };
    case "choose": {
      const from = parseStepRef(step.from ?? "", "`choose` selects from", scope, report.at("from"));
      const item = template(step.item ?? null, "item");
      return { kind, ...common, from: from ?? { root: "step", name: "", path: [] }, item };
    }
    case "runtime": {
      const args = step.args === undefined ? null : template(step.args, "args");
      return { kind, ...common, action: runtimeAction(step.action, report.at("action")), args };
    }
  }
}

/** A batch gets its operations and options from implicit arguments. */
function inputOf(name: string): Template {
  return { kind: "ref", ref: { root: "input", name, path: [] } };
}

function optionOf(name: string, table: string | undefined): Template {
  if (table === undefined) return inputOf(name);
  return { kind: "ref", ref: { root: "input", name: table, path: [name] } };
}

function kindOf(step: StepConfig): Kind {
  return step.kind ?? (step.tool === undefined ? "request" : "tool");
}

function checkKeys(step: StepConfig, kind: Kind, report: Report): void {
  const allowed = [...keysOf[kind], "id", "kind"];
  const fix = `Remove it; such a step takes ${quoted(keysOf[kind])}.`;
  for (const [key, value] of Object.entries(step)) {
    const message = `A step of kind \`${kind}\` has no key \`${key}\`.`;
    if (value !== undefined && !allowed.includes(key)) report.at(key).add("plan/bad-step", message, fix);
  }
  const needed = neededKeys[kind];
  if (needed === undefined || step[needed] !== undefined) return;
  const message = `The step \`${step.id}\` of kind \`${kind}\` needs \`${needed}\`.`;
  report.add("plan/bad-step", message, `Add \`${needed}\`.`);
}

function runtimeAction(action: string | undefined, report: Report): RuntimeAction {
  const isKnown = (name: string): name is RuntimeAction => Object.hasOwn(actions, name);
  if (action !== undefined && isKnown(action)) return action;
  if (action !== undefined)
    report.unknown("plan/unknown-action", "The runtime action", action, Object.keys(actions));
  return "server_status";
}

/** Checks that `diagnostics` steps fit the input and the shape, and come before the requests that use them. */
export function checkDiagnostics(
  steps: readonly StepPlan[],
  input: readonly Anchor[],
  shape: ShapeName,
  reportOf: (index: number) => Report,
): void {
  const asked = steps.findIndex((step) => step.kind === "diagnostics");
  const anchors = pointingAnchors(input);
  const bad = (message: string, fix: string) => reportOf(asked).add("plan/base-needs-anchor", message, fix);
  if (asked >= 0 && shape !== "workspace_diagnostics" && anchors.includes("workspace"))
    bad(
      "A step of kind `diagnostics` asks about a document.",
      'Use `input = "document"`, or the shape `workspace_diagnostics`.',
    );
  if (asked >= 0 && shape === "workspace_diagnostics" && anchors.some((anchor) => anchor !== "workspace"))
    bad(
      "The shape `workspace_diagnostics` is about the whole workspace.",
      'Use `input = "workspace"`, or the shape `diagnostics`.',
    );
  steps.forEach((step, index) => {
    const needs = step.kind === "request" && step.params.base === "text_document_range_diagnostics";
    if (!needs || (asked >= 0 && asked < index)) return;
    const message =
      "The base `text_document_range_diagnostics` needs a step of kind `diagnostics` before it.";
    const fix = 'Add a step with `kind = "diagnostics"`, or use `text_document_range`.';
    reportOf(index).at("params").add("plan/bad-step", message, fix);
  });
}
