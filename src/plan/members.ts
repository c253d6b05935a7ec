/** The outputs of custom items (`items`) and of several answers side by side (`members`). */
import type { ColumnPlan, MemberPlan, ShapeName, StepPlan } from "../abi/plan.js";
import { sortedSet } from "../base/order.js";
import type { ToolConfig } from "../config/schema.js";
import { evidenceMembers } from "../protocol/envelope.js";
import { shapeNames, shapes } from "../protocol/shapes.js";
import type { Report } from "./report.js";
import { alternativesOf } from "./step-values.js";

type Given = Exclude<NonNullable<ToolConfig["output"]>, string>;

const MEMBER_ITEMS = 20;
/** Shapes of a whole answer: an edit has its own preview and token, a batch its own caps. */
const notMembers: readonly ShapeName[] = [
  "workspace_edit",
  "text_edits",
  "batch",
  "server_status",
  "members",
];
/** Shapes that any value fits. */
const anyValue: readonly string[] = ["items", "json", "text", "count"];
const memberShapes: readonly string[] = [
  ...shapeNames.filter((name) => !notMembers.includes(name) && shapes[name].within === undefined),
  "count",
];

/** The members of the items that a step picks; those that `order` does not name come last, by name. */
export function buildColumns(
  step: StepPlan | undefined,
  steps: readonly StepPlan[],
  order: readonly string[],
  report: Report,
): ColumnPlan[] {
  const alternatives = step === undefined ? [] : alternativesOf(step, steps);
  for (const alternative of alternatives)
    if (alternative.list?.pick == null)
      report.add(
        "plan/bad-tool",
        `The shape \`items\` needs the members of an item, and the step \`${alternative.id}\` has no \`pick\`.`,
        "Add `pick` to the step.",
      );
  const columns = alternatives
    .flatMap((alternative) => alternative.list?.pick ?? [])
    .map(([name, { as }]) => ({ name, as }));
  for (const { name, as } of columns)
    if (columns.some((other) => other.name === name && other.as !== as))
      report.add(
        "plan/bad-tool",
        `The steps pick \`${name}\` in different forms.`,
        "Give each the same `as`.",
      );
  const names = sortedSet(columns.map(({ name }) => name));
  report.at("columns").checkNames("plan/bad-tool", "The member", order, names);
  return inColumns(order, names).flatMap((name) => columns.find((column) => column.name === name) ?? []);
}

/** The names in the order that is given; the others follow. */
function inColumns(order: readonly string[], names: readonly string[]): string[] {
  return [...new Set([...order, ...names])];
}

/** The members of an answer. Each names a step that runs in its own place. */
export function buildMembers(
  { members = {}, columns = [] }: Pick<Given, "members" | "columns">,
  steps: readonly StepPlan[],
  misfit: (shape: ShapeName, step: StepPlan) => string | undefined,
  report: Report,
): MemberPlan[] {
  const known = steps.filter(({ id }) => steps.every(({ orElse }) => orElse !== id)).map(({ id }) => id);
  const names = sortedSet(Object.keys(members));
  if (names.length > 0) report.at("columns").checkNames("plan/bad-tool", "The member", columns, names);
  return inColumns(columns, names).flatMap((name): MemberPlan[] => {
    const given = members[name];
    if (given === undefined) return [];
    const at = report.at("members", name);
    if (evidenceMembers.includes(name))
      at.add("plan/bad-tool", `Every answer has a member \`${name}\`.`, "Choose another name.");
    if (!known.includes(given.step))
      at.at("step").unknown("plan/bad-reference", "The step", given.step, known);
    const isKnown = (text: string): text is ShapeName | "count" => memberShapes.includes(text);
    const { shape, language = null, snippet, max_items: maxItems = MEMBER_ITEMS } = given;
    if (!isKnown(shape)) {
      at.at("shape").unknown("plan/unknown-shape", "The shape of a member", shape, memberShapes);
      return [];
    }
    const step = steps.find(({ id }) => id === given.step);
    if (step !== undefined) checkMember(shape, step, steps, misfit, at);
    const columns = shape === "items" ? buildColumns(step, steps, [], at) : [];
    const own = { name, step: given.step, shape, at: given.at ?? "", language, maxItems, columns };
    return [{ ...own, snippet: snippet ?? shape === "locations" }];
  });
}

function checkMember(
  shape: ShapeName | "count",
  step: StepPlan,
  steps: readonly StepPlan[],
  misfit: (shape: ShapeName, step: StepPlan) => string | undefined,
  report: Report,
): void {
  const isDiagnostics = shape === "diagnostics" || shape === "workspace_diagnostics";
  const bad = (message: string) => report.at("shape").add("plan/bad-tool", message, "Choose another shape.");
  for (const alternative of alternativesOf(step, steps)) {
    const why = shape === "count" ? undefined : misfit(shape, alternative);
    if (why !== undefined) bad(why);
    if (isDiagnostics !== (alternative.kind === "diagnostics") && !anyValue.includes(shape))
      bad(`The step \`${alternative.id}\` does not return the shape \`${shape}\`.`);
    if (alternative.list?.pick != null && !anyValue.includes(shape))
      bad(`The step \`${alternative.id}\` picks members, so its items are not the shape \`${shape}\`.`);
    if (alternative.kind === "tool" && !anyValue.includes(shape))
      bad(`The step \`${alternative.id}\` returns the answer of a tool, not the shape \`${shape}\`.`);
  }
}
