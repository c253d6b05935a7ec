/** Emits the handler module of a tool: one statement per step, assigned to a variable named like the step. */
import {
  ABI_VERSION,
  type ArgPlan,
  type DialectPlan,
  type EachPlan,
  type ParamsPlan,
  type Ref,
  type StepPlan,
  type Template,
  type ToolPlan,
} from "../abi/plan.js";
import type { Json } from "../base/json.js";
import { Fault } from "../base/problem.js";
import { lastStep, waysOf } from "../plan/step-values.js";
import { actions } from "../protocol/actions.js";
import { paramsBases } from "../protocol/anchors.js";
import { pointingNames } from "../protocol/pointing.js";
import { inspectModule, lit, memberText, objectText } from "./code-text.js";
import { render, type Templates } from "./render.js";
import {
  boundOptions,
  eachOptions,
  type Members,
  requestOptions,
  stepOptions,
  type TextOf,
} from "./step-options.js";

const lineWidth = 100;

export function emitHandler(tool: ToolPlan, dialect: DialectPlan, templates: Templates): string {
  const names: Names = { args: tool.args, pointing: pointingNames(tool.input, dialect) };
  const statements = [
    ...(tool.steps.some(needsTarget) ? ["const at = await call.at(input);"] : []),
    ...tool.steps
      .filter(({ id }) => tool.steps.every(({ orElse }) => orElse !== id))
      .flatMap((step) => wrap(`const ${localName(step.id)} = await `, wholeStep(step, tool, names))),
    ...answer(tool, names),
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
  const ways = waysOf(step, tool.steps).slice(1);
  const options = [
    // Several answers side by side: one that fails does not fail the others.
    ...(tool.output.members.length > 0 ? [["tolerant", "true"] as const] : []),
    ...stepOptions(step, text),
  ];
  if (options.length === 0 && ways.length === 0) return stepCall(step, names);
  const orElse: Members = ways.length > 0 ? [["orElse", lit(ways.map(({ id }) => id))]] : [];
  const texts = ways.map((way) => callText(orElseCall(way, tool, names)));
  const own = callText(stepCall(isListed ? { ...step, expect: "any" } : step, names));
  const args = [
    objectText([["id", lit(step.id)], ...options, ...orElse]),
    ...[own, ...texts].map((text) => `() => ${text}`),
  ];
  return { callee: "call.step", args };
}

/** A step that takes the place of another: what comes after it is a way of the first. */
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
            ["waitMs", templateText(step.waitMs, names)],
            ["settleMs", lit(step.settleMs)],
          ]),
        ],
      };
    case "execute_command": {
      const list = step.arguments === null ? "[]" : templateText(step.arguments, names);
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

function paramsText({ base, set }: ParamsPlan, names: Names): string {
  return `at.${paramsBases[base].call}(${set === null ? "" : templateText(set, names)})`;
}

type ToolStep = Extract<StepPlan, { kind: "tool" }>;

function toolCall(step: ToolStep, names: Names): CallText {
  return { callee: "call.tool", args: [lit(step.tool), templateText(step.args, names)] };
}

function eachToolCall(step: ToolStep, each: EachPlan, names: Names): CallText {
  const options = objectText(eachOptions(each, textWith(names)));
  const args = `(item) => (${templateText(step.args, names)})`;
  return { callee: "call.eachTool", args: [lit(step.tool), itemsOf(step, each), options, args] };
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
  const params = step.params.set === null ? "{}" : templateText(step.params.set, names);
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
  const gathered = objectText(output.gather.map((id) => [id, localName(id)] as const));
  const members = objectText(
    output.members.map(({ name: member, step }) => [member, localName(step)] as const),
  );
  const value =
    output.members.length > 0
      ? `call.members(${members})`
      : output.gather.length > 0
        ? `call.gather(${gathered})`
        : localName(last.id);
  const options: Members = [];
  if (output.at !== "") options.push(["at", lit(output.at)]);
  if (output.language !== null) options.push(["language", lit(output.language)]);
  if (output.apply !== "never") options.push(["apply", lit(output.apply)]);
  options.push(...boundOptions(output, textWith(names)));
  const args = [lit(output.shape), value, ...(options.length > 0 ? [objectText(options)] : [])];
  return wrap("return await ", { callee: "call.answer", args });
}

/** A call on one line, or with one argument per line when it is long. */
function wrap(prefix: string, { callee, args }: CallText): string[] {
  const line = `${prefix}${callee}(${args.join(", ")});`;
  if (line.length <= lineWidth || args.length < 2) return [line];
  return [`${prefix}${callee}(`, ...args.map((arg) => `  ${arg},`), ");"];
}

/** The arguments of the tool, for references. */
interface Names {
  args: readonly ArgPlan[];
  /** Pointing arguments: name in references → name in the dialect. */
  pointing: { readonly [name: string]: string };
}

/** Reserved words of JavaScript, and names that a handler uses itself. */
const reserved: ReadonlySet<string> = new Set(
  (
    "abi arguments async at await break call case catch class const continue debugger default delete do else enum " +
    "eval export extends false finally for function if implements import in input instanceof interface item let new " +
    "null of package private process protected public require return static super switch this throw true try typeof " +
    "undefined var void while with yield"
  ).split(" "),
);

/** The variable for a step. A step id cannot contain `$`, so an escaped name is unique. */
function localName(stepId: string): string {
  return reserved.has(stepId) ? `${stepId}$` : stepId;
}

/** A template as a JavaScript expression. */
function templateText(template: Template, names: Names): string {
  switch (template.kind) {
    case "literal":
      return lit(template.value);
    case "ref":
      return refText(template.ref, names);
    case "list":
      return `[${template.items.map((item) => templateText(item, names)).join(", ")}]`;
    case "table":
      return objectText(template.entries.map(([key, value]) => [key, templateText(value, names)] as const));
  }
}

function refText(ref: Ref, names: Names): string {
  switch (ref.root) {
    case "input":
      if (ref.name === null) return "input";
      return ref.path.reduce((object, key) => memberText(object, key, true), inputText(ref.name, names));
    case "step":
      return `call.pick(${localName(ref.name ?? "")}, ${lit(ref.path)})`;
    case "each":
      return ref.path.reduce((object, key) => memberText(object, key, true), "item");
    case "document":
      return `at.${documentMember(ref.name)}`;
  }
}

function inputText(name: string, names: Names): string {
  const arg = names.args.find((candidate) => candidate.name === name);
  if (arg) {
    const given = memberText("input", name);
    return arg.default === null ? given : `${given} ?? ${lit(arg.default as Json)}`;
  }
  const field = names.pointing[name];
  if (field === undefined) throw new Fault(`the plan refers to the argument ${name}, which does not exist`);
  return memberText("input", field);
}

function documentMember(name: string | null): string {
  if (name === "uri" || name === "version") return name;
  if (name === "language_id") return "languageId";
  throw new Fault(`the plan refers to document.${name}, which does not exist`);
}
