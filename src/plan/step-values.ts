/**
 * The operations on the list of a step (`where`, `pick`, `sort`,
 * …), when a step runs (`when`), what replaces it (`or_else`).
 */
import type { ConditionPlan, ListPlan, PickPlan, Ref, StepPlan, Template, WhenPlan } from "../abi/plan.js";
import { fromPointer } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import type { StepConfig } from "../config/schema.js";
import { methodNames } from "../protocol/methods.js";
import { buildTemplate, type Scope } from "./references.js";
import { quoted, type Report } from "./report.js";
import { numberOrArgument } from "./requests.js";
import type { StepContext } from "./steps.js";

export const listKeys = ["items", "flatten", "where", "pick", "sort", "limit"] as const;
export const skipKeys = ["when", "or_else"] as const;

/** Forms that convert what a server says; answers of tools are converted already. */
const serverForms: readonly unknown[] = ["path", "range", "position", "location", "kind"];

/** The list part of a step; null if it has none. */
export function buildList(
  step: StepConfig,
  kind: StepPlan["kind"],
  scope: Scope,
  report: Report,
): ListPlan | null {
  if (listKeys.every((key) => step[key] === undefined)) return null;
  const { items = "", flatten, where = [], sort = [] } = step;
  const pick = buildPick(step.pick, kind, report.at("pick"));
  return {
    items: fromPointer(items),
    flatten: flatten === undefined ? null : fromPointer(flatten),
    where: where.map((condition, index) => buildCondition(condition, scope, report.at("where", index))),
    pick,
    sort: sort.map((text, index) => {
      const descending = text.startsWith("-");
      const at = fromPointer(descending ? text.slice(1) : text);
      const names = pick?.map(([name]) => name) ?? [];
      if (pick !== null && !names.includes(at[0] ?? ""))
        report
          .at("sort", index)
          .add(
            "plan/bad-step",
            `The items are sorted by \`${at.join("/")}\`, which is not picked.`,
            `Pick it too, or sort by one of ${quoted(names)}.`,
          );
      return { at, descending };
    }),
    limit: step.limit === undefined ? null : numberOrArgument(step.limit, scope, report.at("limit")),
  };
}

type ConditionConfig = NonNullable<StepConfig["where"]>[number];

function buildCondition(given: ConditionConfig, scope: Scope, report: Report): ConditionPlan {
  const value = (name: "is" | "in" | "more_than" | "less_than", isFine: (value: unknown) => boolean) => {
    if (given[name] === undefined) return null;
    const built = buildTemplate(given[name], scope, report.at(name));
    const isArgument = built.kind === "ref" && built.ref.root === "input" && built.ref.name !== null;
    if (!isArgument && !(built.kind === "literal" && isFine(built.value)))
      report
        .at(name)
        .add("plan/bad-step", `\`${name}\` has no value of its kind.`, "Write a value, or an argument.");
    return built;
  };
  const isNumber = (literal: unknown) => typeof literal === "number";
  const condition: ConditionPlan = {
    at: fromPointer(given.at),
    is: value("is", isScalar),
    in: value("in", (literal) => Array.isArray(literal) && literal.every(isScalar)),
    exists: given.exists ?? null,
    moreThan: value("more_than", isNumber),
    lessThan: value("less_than", isNumber),
    outside: given.outside === undefined ? null : fromPointer(given.outside),
  };
  const { at: _, outside, ...tests } = condition;
  const bad = (message: string, fix: string) => report.add("plan/bad-step", message, fix);
  if (Object.values(tests).every((test) => test === null))
    bad("The condition compares with nothing.", "Give `is`, `in`, `exists`, `more_than` or `less_than`.");
  if (outside !== null && condition.moreThan === null && condition.lessThan === null)
    bad("`outside` counts locations, and nothing is counted.", "Give `more_than` or `less_than`.");
  return condition;
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function buildPick(given: StepConfig["pick"], kind: StepPlan["kind"], report: Report): ListPlan["pick"] {
  if (given === undefined) return null;
  return sortedSet(Object.keys(given)).map((name): [string, PickPlan] => {
    const member = given[name];
    const table = typeof member === "string" ? { at: member } : (member ?? { at: "" });
    const { as = null, outside } = { as: undefined, outside: undefined, ...table };
    const own = report.at(name);
    if (kind === "tool" && serverForms.includes(as))
      own.at("as").add("plan/bad-step", `The answer of a tool has no \`${as}\` to convert.`, "Remove `as`.");
    if (outside !== undefined && as !== "count")
      own.at("outside").add("plan/bad-step", "`outside` is for counts.", 'Set `as = "count"`.');
    return [
      name,
      { at: fromPointer(table.at), as, outside: outside === undefined ? null : fromPointer(outside) },
    ];
  });
}

/** When a step runs; null for always. */
export function buildWhen(
  given: StepConfig["when"],
  { inputs }: Scope,
  { config }: StepContext,
  report: Report,
): WhenPlan | null {
  if (given === undefined) return null;
  const { capability = null, command = null, argument = null, is } = given;
  if (capability === null && command === null && argument === null)
    report.add("plan/bad-step", "`when` says nothing.", "Give `capability`, `command` or `argument`.");
  const known = [...methodNames, ...(config.methods ?? []).map((entry) => entry.method)];
  if (capability !== null && !known.includes(capability))
    report.at("capability").unknown("plan/unknown-method", "The method", capability, known);
  if (argument !== null && !inputs.includes(argument))
    report.at("argument").unknown("plan/bad-reference", "The argument", argument, inputs);
  if (is !== undefined && (argument === null || !isScalar(is)))
    report.at("is").add("plan/bad-step", "`is` is the value of an argument.", "Give `argument` and a value.");
  const value: Template | null = is === undefined ? null : { kind: "literal", value: is };
  return { capability, command, argument, is: value };
}

/** For each step the index of the step whose place it takes at last; its own if it takes none. */
export function placesOf(steps: readonly StepConfig[]): number[] {
  const places = steps.map((_, index) => index);
  steps.forEach(({ or_else: other }, index) => {
    const at = steps.findIndex(({ id }) => id === other);
    if (at > index) places[at] = places[index] ?? index;
  });
  return places;
}

/** Checks that every `or_else` names a later step that no other step names or refers to. */
export function checkOrElse(
  steps: readonly StepConfig[],
  index: number,
  mayReplace: (step: StepConfig) => boolean,
  report: Report,
): void {
  const { id, or_else: other } = steps[index] ?? {};
  if (other === undefined) return;
  const later = steps.slice(index + 1);
  const target = later.find((step) => step.id === other);
  const at = report.at("or_else");
  const bad = (message: string, fix: string) => at.add("plan/bad-step", message, fix);
  if (target === undefined) {
    const known = later.map((step) => step.id);
    bad(
      `\`or_else\` of \`${id}\` names no later step.`,
      known.length === 0 ? "Add a step after it." : `Name one of ${quoted(known)}.`,
    );
    return;
  }
  if (!mayReplace(target))
    bad(`The step \`${other}\` cannot take the place of another.`, "Use a request, a tool or a command.");
  if (steps.some((step, before) => before < index && step.or_else === other))
    bad(`Two steps have \`or_else = "${other}"\`.`, "Write a step for each.");
}

/** The step whose value is the answer: the last one that does not only take the place of another. */
export function lastStep(steps: readonly StepPlan[]): StepPlan | undefined {
  return steps.findLast(({ id }) => steps.every(({ orElse }) => orElse !== id));
}

/** A step and those that may take its place, in their order. */
export function alternativesOf(step: StepPlan, steps: readonly StepPlan[]): StepPlan[] {
  const alternatives = [step];
  for (let next: StepPlan | undefined = step; next !== undefined; ) {
    const { orElse }: StepPlan = next;
    next = orElse === null ? undefined : steps.find(({ id }) => id === orElse);
    if (next !== undefined && alternatives.includes(next)) break;
    if (next !== undefined) alternatives.push(next);
  }
  return alternatives;
}

/**
 * The steps that may give what a reference names: the step's alternatives, and where one chooses, those of its list.
 */
export function sourcesOf({ name }: Ref, steps: readonly StepPlan[]): StepPlan[] {
  const step = steps.find(({ id }) => id === name);
  if (step === undefined) return [];
  return alternativesOf(step, steps).flatMap((alternative) => {
    if (alternative.kind !== "choose") return [alternative];
    return alternative.from.name === alternative.id ? [] : sourcesOf(alternative.from, steps);
  });
}
