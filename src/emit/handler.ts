/** Emits the handler module of a tool: one statement per step, assigned to a variable named like the step. */
import {
  ABI_VERSION,
  type ArgPlan,
  type DialectPlan,
  type Ref,
  type StepPlan,
  type Template,
  type ToolPlan,
} from "../abi/plan.js";
import { Fault } from "../base/problem.js";
import { actions } from "../protocol/actions.js";
import { paramsBases } from "../protocol/anchors.js";
import { hasPlace } from "../protocol/place-arguments.js";
import { pointingNames } from "../protocol/pointing.js";
import { inspectModule, lit, memberText, objectText } from "./code-text.js";
import { render, type Templates } from "./render.js";

const lineWidth = 100;

type Members = [key: string, text: string][];

export function emitHandler(tool: ToolPlan, dialect: DialectPlan, templates: Templates): string {
  const names: Names = { args: tool.args, pointing: pointingNames(tool.input, dialect), isSent: false };

  const needsAt = tool.steps.some(needsTarget) || tool.args.some(isInDocument);
  const body = [
    ...tool.steps.flatMap((step) => wrap(`const ${localName(step.id)} = await `, stepCall(step, names))),
    ...answer(tool, names),
  ];
  // The target is checked by `at`.
  const isPlaced =
    tool.args.some((arg) => arg.name !== tool.target && hasPlace(arg)) ||
    body.some((line) => line.includes("places."));
  const statements = [
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
  return step.kind === "request" || step.kind === "diagnostics" || step.kind === "execute_command";
}

interface CallText {
  callee: string;
  args: string[];
}

function stepCall(step: StepPlan, names: Names): CallText {
  switch (step.kind) {
    case "request":
      return step.each ? eachCall(step, step.each, names) : requestCall(step, names);
    case "diagnostics":
      return { callee: "at.diagnostics", args: [lit({ waitMs: step.waitMs, settleMs: step.settleMs })] };
    case "execute_command": {
      const list = step.arguments === null ? "[]" : templateText(step.arguments, sent(names));
      return { callee: "at.command", args: [templateText(step.command, names), list] };
    }
    case "tool":
      return { callee: "call.tool", args: [lit(step.tool), templateText(step.args, names)] };
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

type RequestStep = Extract<StepPlan, { kind: "request" }>;

function requestCall(step: RequestStep, names: Names): CallText {
  const { base, set } = step.params;
  const params = `at.${paramsBases[base].call}(${set === null ? "" : templateText(set, sent(names))})`;
  const options = requestOptions(step);
  return {
    callee: "at.request",
    args: [lit(step.method), params, ...(options.length > 0 ? [objectText(options)] : [])],
  };
}

function eachCall(step: RequestStep, each: NonNullable<RequestStep["each"]>, names: Names): CallText {
  const { from, limit } = each;
  if (from.root !== "step" || from.name === null) throw new Fault(`the step ${step.id} repeats over no step`);
  const options: Members = [["limit", templateText(limit, names)]];
  if (from.path.length > 0) options.push(["path", lit(from.path)]);
  if (each.lacking !== null) options.push(["lacking", lit(each.lacking)]);
  const params = step.params.set === null ? "{}" : templateText(step.params.set, sent(names));
  return {
    callee: "at.each",
    args: [
      lit(step.method),
      localName(from.name),
      objectText([...options, ...requestOptions(step)]),
      `(item) => (${params})`,
    ],
  };
}

function requestOptions(step: RequestStep): Members {
  const options: Members = [];
  if (step.optional) options.push(["optional", "true"]);
  if (step.expect !== "any") options.push(["expect", lit(step.expect)]);
  if (step.merge === "all") options.push(["merge", lit(step.merge)]);
  if (step.retryEmpty) options.push(["retryEmpty", lit({ ...step.retryEmpty })]);
  return options;
}

function answer({ name, steps, output }: ToolPlan, names: Names): string[] {
  const last = steps.at(-1);
  if (!last) throw new Fault(`the tool ${name} has no steps`);
  const gathered = objectText(output.gather.map((id) => [id, localName(id)] as const));
  const value = output.gather.length > 0 ? `call.gather(${gathered})` : localName(last.id);
  const options: Members = [];
  if (output.at !== "") options.push(["at", lit(output.at)]);
  if (output.language !== null) options.push(["language", lit(output.language)]);
  if (output.apply !== "never") options.push(["apply", lit(output.apply)]);
  options.push(...boundOptions(output, names));
  const args = [lit(output.shape), value, ...(options.length > 0 ? [objectText(options)] : [])];
  return wrap("return await ", { callee: "call.answer", args });
}

/** The snippet, filter and size options, if they differ from the defaults. */
function boundOptions({ shape, snippet, filter, maxChars }: ToolPlan["output"], names: Names): Members {
  const literal = (template: Template) => (template.kind === "literal" ? template.value : undefined);
  const isDefault =
    literal(snippet.show) === (shape === "locations") &&
    literal(snippet.contextLines) === 0 &&
    literal(snippet.maxChars) === 400;
  const options: Members = [];
  if (!isDefault)
    options.push([
      "snippet",
      objectText([
        ["show", templateText(snippet.show, names)],
        ["contextLines", templateText(snippet.contextLines, names)],
        ["maxChars", templateText(snippet.maxChars, names)],
      ]),
    ]);
  const kept = Object.entries(filter ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [[name, templateText(value, names)] as const],
  );
  if (kept.length > 0) options.push(["filter", objectText(kept)]);
  if (maxChars !== null) options.push(["maxChars", templateText(maxChars, names)]);
  return options;
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
  /** Whether the value is sent to a server, which gets places in its own encoding. */
  isSent: boolean;
}

function sent(names: Names): Names {
  return { ...names, isSent: true };
}

function isInDocument({ form }: ArgPlan): boolean {
  if (form?.kind === "list") return isInDocument(form.items);
  if (form?.kind === "object") return form.properties.some(isInDocument);
  return form?.kind === "place" && form.inDocument;
}

/** Reserved words of JavaScript, and names that a handler uses itself. */
const reserved: ReadonlySet<string> = new Set(
  (
    "abi arguments async at await break call case catch class const continue debugger default delete do else enum " +
    "eval export extends false finally for function if implements import in input instanceof interface item let new " +
    "null of package places private process protected public require return static super switch this throw true try typeof " +
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
      return ref.name === null ? "input" : inputText(ref.name, ref.path, names);
    case "step":
      return `call.pick(${localName(ref.name ?? "")}, ${lit(ref.path)})`;
    case "each":
      return ref.path.reduce((object, key) => memberText(object, key, true), "item");
    case "document":
      return `at.${documentMember(ref.name)}`;
  }
}

function inputText(name: string, path: readonly string[], names: Names): string {
  const arg = names.args.find((candidate) => candidate.name === name);
  if (arg) {
    const { part, isPlace } = partAt(arg, path);
    // What is not sent to a server is passed on as the client wrote it, unless it is a text of a place.
    const isResolved = isPlace || (names.isSent && part !== undefined && hasPlace(part));
    const given = path.reduce(
      (object, key) => memberText(object, key, true),
      memberText(isResolved ? "places" : "input", name),
    );
    const fallback = part?.default ?? null;
    return fallback === null ? given : `${given} ?? ${lit(fallback)}`;
  }
  const field = names.pointing[name];
  if (field === undefined) throw new Fault(`the plan refers to the argument ${name}, which does not exist`);
  return memberText("input", field);
}

/** The argument that a path leads to, or whether it leads to a member of a place. */
function partAt(arg: ArgPlan, [key, ...rest]: readonly string[]): { part?: ArgPlan; isPlace: boolean } {
  if (key === undefined) return { part: arg, isPlace: false };
  if (arg.form?.kind === "place") return { isPlace: true };
  const inside =
    arg.form?.kind === "object" ? arg.form.properties.find(({ name }) => name === key) : undefined;
  return inside === undefined ? { isPlace: false } : partAt(inside, rest);
}

function documentMember(name: string | null): string {
  if (name === "uri" || name === "version") return name;
  if (name === "language_id") return "languageId";
  throw new Fault(`the plan refers to document.${name}, which does not exist`);
}
