/** The options of a step and of an answer in a generated handler, as members of an object expression. */
import type {
  ConditionPlan,
  EachPlan,
  ListPlan,
  PickPlan,
  StepPlan,
  Template,
  ToolPlan,
  WhenPlan,
} from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { lit, objectText } from "./code-text.js";

export type Members = (readonly [key: string, text: string])[];

/** A template as a JavaScript expression. */
export type TextOf = (template: Template) => string;

/** When the step runs, what is done with its list, and which results are accepted then. */
export function stepOptions({ when, list, expect, form }: StepPlan, text: TextOf): Members {
  const options: Members = [];
  if (when !== null) options.push(["when", whenText(when, text)]);
  if (form !== undefined) options.push(["form", lit(form as unknown as JsonObject)]);
  if (list !== null) options.push(...listOptions(list, text));
  if ((list !== null && expect !== "any") || expect === "none") options.push(["expect", lit(expect)]);
  return options;
}

function whenText({ capability, command, argument, is }: WhenPlan, text: TextOf): string {
  const options: Members = [];
  if (capability !== null) options.push(["capability", lit(capability)]);
  if (command !== null) options.push(["command", lit(command)]);
  if (argument !== null) {
    const given = text({ kind: "ref", ref: { root: "input", name: argument, path: [] } });
    options.push(["argument", is === null ? `(${given}) !== undefined` : `(${given}) === ${text(is)}`]);
  }
  return objectText(options);
}

function listOptions({ items, flatten, where, pick, sort, limit }: ListPlan, text: TextOf): Members {
  const options: Members = [];
  if (items.length > 0) options.push(["items", lit(items)]);
  if (flatten !== null) options.push(["flatten", lit(flatten)]);
  if (where.length > 0)
    options.push(["where", `[${where.map((condition) => conditionText(condition, text)).join(", ")}]`]);
  if (pick !== null)
    options.push(["pick", objectText(pick.map(([name, member]) => [name, pickText(member)] as const))]);
  if (sort.length > 0) options.push(["sort", lit(sort.map(({ at, descending }) => ({ at, descending })))]);
  if (limit !== null) options.push(["limit", text(limit)]);
  return options;
}

function conditionText(condition: ConditionPlan, text: TextOf): string {
  const options: Members = [["at", lit(condition.at)]];
  for (const name of ["is", "in", "moreThan", "lessThan"] as const) {
    const value = condition[name];
    if (value !== null) options.push([name, text(value)]);
  }
  if (condition.exists !== null) options.push(["exists", lit(condition.exists)]);
  if (condition.outside !== null) options.push(["outside", lit(condition.outside)]);
  return objectText(options);
}

function pickText({ at, as, outside }: PickPlan): string {
  const options: Members = [["at", lit(at)]];
  if (as !== null) options.push(["as", lit(as)]);
  if (outside !== null) options.push(["outside", lit(outside)]);
  return objectText(options);
}

/** The list that a request is repeated over. */
export function eachOptions({ from, limit, lacking, keep, depth, next }: EachPlan, text: TextOf): Members {
  const options: Members = [["limit", text(limit)]];
  if (from.path.length > 0 && from.root === "step") options.push(["path", lit(from.path)]);
  if (lacking !== null) options.push(["lacking", lit(lacking)]);
  if (keep) options.push(["keep", "true"]);
  if (depth !== null) options.push(["depth", lit(depth)]);
  if (next.length > 0) options.push(["next", lit(next)]);
  return options;
}

export function requestOptions(step: Extract<StepPlan, { kind: "request" }>): Members {
  const options: Members = [];
  if (step.optional) options.push(["optional", "true"]);
  if (step.expect !== "any") options.push(["expect", lit(step.expect)]);
  if (step.merge === "all") options.push(["merge", lit(step.merge)]);
  if (step.retryEmpty) options.push(["retryEmpty", lit({ ...step.retryEmpty })]);
  return options;
}

/** The snippet, filter and size options, if they differ from the defaults. */
export function boundOptions(
  { shape, snippet, filter, maxChars }: ToolPlan["output"],
  text: TextOf,
): Members {
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
        ["show", text(snippet.show)],
        ["contextLines", text(snippet.contextLines)],
        ["maxChars", text(snippet.maxChars)],
      ]),
    ]);
  const kept = Object.entries(filter ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [[name, text(value)] as const],
  );
  if (kept.length > 0) options.push(["filter", objectText(kept)]);
  if (maxChars !== null) options.push(["maxChars", text(maxChars)]);
  return options;
}
