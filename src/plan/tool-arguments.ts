/** The arguments of a tool as its callers see them: steps of other tools, and resources. */
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { isInsteadOfPointing } from "../protocol/place-arguments.js";
import { listingFields, listingNames, pointingFields, pointingNames } from "../protocol/pointing.js";
import { type ValueBounds, violation } from "./argument-values.js";
import { pointingAnchors } from "./requests.js";

/** The names of the arguments that a tool takes. */
export function argumentNames(plan: ToolPlan, dialect: DialectPlan): string[] {
  return [
    ...Object.values(pointingNames(plan.input, dialect)).map((name) => ownName(plan, name)),
    ...listingNames(plan, dialect),
    ...plan.args.map((arg) => arg.name),
  ];
}

/** The arguments that a call lacks: required ones, or those that one of the ways to point needs. */
export function missingNames(plan: ToolPlan, given: readonly string[], dialect: DialectPlan): string[] {
  const lacking = (names: readonly string[]) =>
    names.map((name) => ownName(plan, name)).filter((name) => !given.includes(name));
  const own = plan.args.filter((arg) => arg.required).map((arg) => arg.name);
  const needed = isInsteadOfPointing(plan) ? [] : pointingFields(plan.input, dialect).required;
  const missing = [...lacking([...new Set([...needed, ...plan.require])]), ...lacking(own)];
  if (missing.length > 0 || isInsteadOfPointing(plan)) return missing;
  const ways = pointingAnchors(plan.input).map((anchor) =>
    lacking(pointingFields([anchor], dialect).required),
  );
  return ways.some((way) => way.length === 0) ? [] : (sortBy(ways, (way) => [way.length])[0] ?? []);
}

/** The name of a pointing argument in one tool. */
function ownName({ pointing }: ToolPlan, name: string): string {
  return pointing[name]?.name ?? name;
}

/** Why the called tool does not accept a literal value; undefined if it does, or only the call can tell. */
export function misfit(
  name: string,
  value: unknown,
  callee: ToolPlan,
  dialect: DialectPlan,
): string | undefined {
  // A null argument counts as absent.
  if (value === null) return undefined;
  const arg = callee.args.find((candidate) => candidate.name === name);
  if (arg) return violation(value, arg.beyond === "clamp" ? { ...arg, minimum: null, maximum: null } : arg);
  const { properties } = pointingFields(callee.input, dialect);
  const schema = { ...properties, ...listingFields(callee, dialect).properties }[name];
  return isTable(schema) ? violation(value, schema as Partial<ValueBounds>) : undefined;
}
