/** Emits the handler module of a tool: one statement per step, assigned to a variable named like the step. */
import {
  ABI_VERSION,
  type ArgPlan,
  type DialectPlan,
  type EachPlan,
  type ParamsPlan,
  type StepPlan,
  type Template,
  type ToolPlan,
} from "../abi/plan.js";
import { Fault } from "../base/problem.js";
import { defaultStep } from "../plan/defaults.js";
import { alternativesOf, lastStep } from "../plan/step-values.js";
import { actions } from "../protocol/actions.js";
import { paramsBases } from "../protocol/anchors.js";
import { hasPlace } from "../protocol/place-arguments.js";
import { pointingNames } from "../protocol/pointing.js";
import { inspectModule, lit, objectText } from "./code-text.js";
import { render, type Templates } from "./render.js";
import {
  boundOptions,
  eachOptions,
  type Members,
  requestOptions,
  stepOptions,
  type TextOf,
} from "./step-options.js";
import { localName, type Names, sent, templateText } from "./template-text.js";

const lineWidth = 100;

export function emitHandler(tool: ToolPlan, dialect: DialectPlan, templates: Templates): string {
  const names: Names = { args: tool.args, pointing: pointingNames(tool.input, dialect), isSent: false };
  const needsAt = tool.steps.some(needsTarget) || tool.args.some(isInDocument);
  const body = [
    ...tool.steps
      .filter(({ id }) => tool.steps.every(({ orElse }) => orElse !== id))
      .flatMap((step) => wrap(`const ${localName(step.id)} = await `, wholeStep(step, tool, names))),
    ...answer(tool, names),
  ];
  // The target is checked by `at`.
  const hasPlaces = tool.args.some((arg) => arg.name !== tool.target && hasPlace(arg));
  const isPlaced = hasPlaces || body.some((line) => line.includes("places."));
  const statements = [
    ...(hasPlaces ? ["await call.admit(input);"] : []),
    ...(needsAt ? ["const at = await call.at(input);"] : []),
    ...(isPlaced ? ["const places = await call.places(input);"] : []),
    ...body,
  ];
  const text = render(templates, "handler.js", {
    abi: ABI_VERSION,
    source: `${tool.source.file}#${tool.source.pointer}`,
    name: tool.name,
    effect: tool.effect,
    statements,
  });
  inspectModule(text, `the handler of ${tool.name}`);
  return text;
}

function needsTarget(step: StepPlan): boolean {
  if (step.kind === "runtime") return actions[step.action].place;
  if (step.when !== null && (step.when.capability !== null || step.when.command !== null)) return true;
  return (
    step.kind === "notify" ||
    step.kind === "request" ||
    step.kind === "diagnostics" ||
    step.kind === "execute_command"
  );
}

interface CallText {
  callee: string;
  args: string[];
}

/** A step with what decides whether it runs and what is done with its list; a plain step is its call alone. */
function wholeStep(step: StepPlan, tool: ToolPlan, names: Names): CallText {
  const text = textWith(names);
  const isListed = step.list !== null || step.expect === "none";
  const alternatives = alternativesOf(step, tool.steps).slice(1);
  const options = [
    // Several answers side by side: one that fails does not fail the others.
    ...(tool.output.members.length > 0 ? [["tolerant", "true"] as const] : []),
    ...stepOptions(step, text),
  ];
  if (options.length === 0 && alternatives.length === 0) return stepCall(step, names);
  const orElse: Members = alternatives.length > 0 ? [["orElse", lit(alternatives.map(({ id }) => id))]] : [];
  const texts = alternatives.map((alternative) => callText(orElseCall(alternative, tool, names)));
  const own = callText(stepCall(isListed ? { ...step, expect: "any" } : step, names));
  const args = [
    objectText([["id", lit(step.id)], ...options, ...orElse]),
    ...[own, ...texts].map((text) => `() => ${text}`),
  ];
  return { callee: "call.step", args };
}

/** A step that takes the place of another: what comes after it is an alternative to the first. */
function orElseCall(step: StepPlan, tool: ToolPlan, names: Names): CallText {
  return wholeStep({ ...step, orElse: null }, { ...tool, output: { ...tool.output, members: [] } }, names);
}

function callText({ callee, args }: CallText): string {
  return `${callee}(${args.join(", ")})`;
}

function textWith(names: Names): TextOf {
  return (template) => templateText(template, names);
}

function stepCall(step: StepPlan, names: Names): CallText {
  switch (step.kind) {
    case "request":
      return step.each ? eachCall(step, step.each, names) : requestCall(step, names);
    case "notify":
      return { callee: "at.notify", args: [lit(step.method), paramsText(step.params, names)] };
    case "diagnostics":
      return {
        callee: "at.diagnostics",
        args: [
          objectText([
            ["waitMs", waitText(step.waitMs, names)],
            ...(step.firstWaitMs === null ? [] : [["firstWaitMs", lit(step.firstWaitMs)] as const]),
            ["settleMs", lit(step.settleMs)],
          ]),
        ],
      };
    case "execute_command": {
      const list = step.arguments === null ? "[]" : templateText(step.arguments, sent(names));
      return { callee: "at.command", args: [templateText(step.command, names), list] };
    }
    case "tool":
      return step.each ? eachToolCall(step, step.each, names) : toolCall(step, names);
    case "batch":
      return {
        callee: "call.batch",
        args: [
          lit(step.tools),
          templateText(step.operations, names),
          objectText([
            ["parallel", templateText(step.parallel, names)],
            ["stopOnError", templateText(step.stopOnError, names)],
            ...(step.atomic ? [["atomic", templateText(step.atomic, names)] as const] : []),
            ...(step.dryRun ? [["dryRun", templateText(step.dryRun, names)] as const] : []),
          ]),
        ],
      };
    case "choose":
      return {
        callee: "call.choose",
        args: [localName(step.from.name ?? ""), lit(step.from.path), templateText(step.item, names)],
      };
    case "runtime":
      return {
        callee: "call.runtime",
        args: [lit(step.action), step.args === null ? "{}" : templateText(step.args, names)],
      };
  }
}

/** The usual wait where a call does not give one. */
function waitText(wait: Template, names: Names): string {
  const text = templateText(wait, names);
  return wait.kind === "ref" && !text.includes(" ?? ") ? `${text} ?? ${defaultStep.waitMs}` : text;
}

function paramsText({ base, set }: ParamsPlan, names: Names): string {
  return `at.${paramsBases[base].call}(${set === null ? "" : templateText(set, sent(names))})`;
}

type ToolStep = Extract<StepPlan, { kind: "tool" }>;

function toolCall(step: ToolStep, names: Names): CallText {
  return { callee: "call.tool", args: [lit(step.tool), templateText(step.args, names)] };
}

function eachToolCall(step: ToolStep, each: EachPlan, names: Names): CallText {
  const options = objectText(eachOptions(each, textWith(names)));
  const args = `(item) => (${templateText(step.args, names)})`;
  const items =
    each.from.root === "input"
      ? `call.list(${templateText({ kind: "ref", ref: each.from }, names)})`
      : itemsOf(step, each);
  return { callee: "call.eachTool", args: [lit(step.tool), items, options, args] };
}

/** The variable of the step whose items are used. */
function itemsOf({ id }: StepPlan, { from }: EachPlan): string {
  if (from.root !== "step" || from.name === null) throw new Fault(`the step ${id} repeats over no step`);
  return localName(from.name);
}

type RequestStep = Extract<StepPlan, { kind: "request" }>;

function requestCall(step: RequestStep, names: Names): CallText {
  const options = requestOptions(step);
  return {
    callee: "at.request",
    args: [
      lit(step.method),
      paramsText(step.params, names),
      ...(options.length > 0 ? [objectText(options)] : []),
    ],
  };
}

function eachCall(step: RequestStep, each: EachPlan, names: Names): CallText {
  const params = step.params.set === null ? "{}" : templateText(step.params.set, sent(names));
  return {
    callee: "at.each",
    args: [
      lit(step.method),
      itemsOf(step, each),
      objectText([...eachOptions(each, textWith(names)), ...requestOptions(step)]),
      `(item) => (${params})`,
    ],
  };
}

function answer({ name, steps, output }: ToolPlan, names: Names): string[] {
  const last = lastStep(steps);
  if (!last) throw new Fault(`the tool ${name} has no steps`);
  const value = answerValue(output, last);
  const options: Members = [];
  if (output.at !== "") options.push(["at", lit(output.at)]);
  if (output.language !== null) options.push(["language", lit(output.language)]);
  if (output.apply !== "never") options.push(["apply", lit(output.apply)]);
  options.push(...boundOptions(output, textWith(names)));
  const args = [lit(output.shape), value, ...(options.length > 0 ? [objectText(options)] : [])];
  return wrap("return await ", { callee: "call.answer", args });
}

/** The source of an answer: named members, several steps, or the last step. */
function answerValue({ members, gather }: ToolPlan["output"], last: StepPlan): string {
  if (members.length > 0)
    return `call.members(${objectText(members.map(({ name, step }) => [name, localName(step)] as const))})`;
  if (gather.length > 0)
    return `call.gather(${objectText(gather.map((id) => [id, localName(id)] as const))})`;
  return localName(last.id);
}

/** A call on one line, or with one argument per line when it is long. */
function wrap(prefix: string, { callee, args }: CallText): string[] {
  const line = `${prefix}${callee}(${args.join(", ")});`;
  if (line.length <= lineWidth || args.length < 2) return [line];
  return [`${prefix}${callee}(`, ...args.map((arg) => `  ${arg},`), ");"];
}

function isInDocument({ form }: ArgPlan): boolean {
  if (form?.kind === "list") return isInDocument(form.items);
  if (form?.kind === "object") return form.properties.some(isInDocument);
  return form?.kind === "place" && form.inDocument;
}
