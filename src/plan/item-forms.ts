/** The forms of items and answers that a dialect declares → FormPlans. */
import { type FormCondition, type FormConversion, type FormPlan, formConversions } from "../abi/item-form.js";
import { fromPointer, isTable, type Json } from "../base/json.js";
import { sortBy } from "../base/order.js";
import type { Report } from "./report.js";

const valueKeys = ["at", "as", "each"];

/** A text is a JSON Pointer; a table with `at`, `as` or `each` is one value; any other table is an object. */
export function buildForm(given: unknown, report: Report): FormPlan {
  if (typeof given === "string") return { kind: "value", at: pathOf(given, report), as: null, each: null };
  if (!isTable(given)) {
    report.add("plan/bad-dialect", "A member is neither a JSON Pointer nor a table.");
    return { kind: "value", at: [], as: null, each: null };
  }
  if (valueKeys.some((key) => given[key] !== undefined)) return buildValue(given, report);
  const { when, ...members } = given;
  return {
    kind: "table",
    members: sortBy(Object.keys(members), (name) => [name]).map((name) => [
      name,
      buildForm(members[name], report.at(name)),
    ]),
    when: when === undefined ? null : buildWhen(when, report.at("when")),
  };
}

/** The forms of a table, by name. */
export function buildForms(given: Record<string, unknown> | undefined, report: Report) {
  if (given === undefined) return undefined;
  const names = sortBy(Object.keys(given), (name) => [name]);
  return Object.fromEntries(names.map((name) => [name, buildForm(given[name], report.at(name))]));
}

function buildValue(given: Record<string, unknown>, report: Report): FormPlan {
  const { at = "", as = null, each = null } = given;
  for (const key of Object.keys(given))
    if (!valueKeys.includes(key))
      report.at(key).add("plan/bad-dialect", `A value has \`at\`, \`as\` and \`each\`, not \`${key}\`.`);
  const isKnown = (name: unknown): name is FormConversion =>
    (formConversions as readonly unknown[]).includes(name);
  if (as !== null && !isKnown(as))
    report.at("as").unknown("plan/bad-dialect", "The conversion", String(as), [...formConversions]);
  if (as !== null && each !== null)
    report.at("each").add("plan/bad-dialect", "A list is not converted; its items are.");
  return {
    kind: "value",
    at: pathOf(at, report.at("at")),
    as: isKnown(as) ? as : null,
    each: each === null ? null : buildForm(each, report.at("each")),
  };
}

function buildWhen(given: unknown, report: Report): FormCondition {
  if (isTable(given) && typeof given.at === "string") {
    const at = pathOf(given.at, report.at("at"));
    return given.is === undefined ? { at } : { at, is: given.is as Json };
  }
  report.add("plan/bad-dialect", "`when` is not `{ at = POINTER }` or `{ at = POINTER, is = VALUE }`.");
  return { at: [] };
}

function pathOf(pointer: unknown, report: Report): string[] {
  if (typeof pointer === "string" && (pointer === "" || pointer.startsWith("/"))) return fromPointer(pointer);
  report.add("plan/bad-dialect", "This is not a JSON Pointer.", "Write `/member`, or `/member/inner`.");
  return [];
}
