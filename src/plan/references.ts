/**
 * Builds templates from config values. A table with the single key `from` is a reference and is checked against its scope;
 * everything else is a literal. Keys of tables are sorted, lists keep their order.
 */
import type { Ref, Template } from "../abi/plan.js";
import { canonical, isTable, type Json } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortBy } from "../base/order.js";
import { toPointer } from "../base/pointer.js";
import type { Report } from "./report.js";

/** What a reference may name in one step. */
export interface Scope {
  /** Arguments and pointing arguments, by the names that references use. */
  inputs: readonly string[];
  /** Earlier steps. */
  steps: readonly string[];
  /** Whether the step has `each`. */
  each: boolean;
  /** Whether the call points at a document. */
  document: boolean;
}

const documentFields = ["uri", "language_id", "version"];
const unsafeKeys = ["__proto__", "constructor", "prototype"];
const literalNull: Template = { kind: "literal", value: null };

/** A config value as a template; bad references are reported. */
export function buildTemplate(value: unknown, pointer: string, scope: Scope, report: Report): Template {
  if (isReference(value)) {
    if (typeof value.from !== "string") {
      report.add("plan/bad-reference", `${pointer}/from`, "`from` is not a text.");
      return literalNull;
    }
    const ref = parseRef(value.from, `${pointer}/from`, scope, report);
    return ref ? { kind: "ref", ref } : literalNull;
  }
  if (Array.isArray(value)) {
    const items = value.map((item, index) => buildTemplate(item, `${pointer}/${index}`, scope, report));
    return items.every(isLiteral)
      ? { kind: "literal", value: canonical(value) as Json }
      : { kind: "list", items };
  }
  if (!isTable(value)) return { kind: "literal", value: value as Json };
  const entries = sortBy(Object.keys(value), (key) => [key]).map((key): [string, Template] => [
    key,
    buildTemplate(value[key], pointer + toPointer([key]), scope, report),
  ]);
  return entries.every(([, entry]) => isLiteral(entry))
    ? { kind: "literal", value: canonical(value) as Json }
    : { kind: "table", entries };
}

/** Parses a reference; undefined after reporting why it is bad. */
export function parseRef(text: string, pointer: string, scope: Scope, report: Report): Ref | undefined {
  const [root = "", ...rest] = text.split(".");
  if (rest.some((part) => part === "" || unsafeKeys.includes(part)))
    return refuse(text, "has an empty or forbidden part", pointer, report);
  switch (root) {
    case "input":
      return inputRef(text, rest, pointer, scope, report);
    case "step":
      return stepRef(text, rest, pointer, scope, report);
    case "each":
      if (!scope.each) return refuse(text, "is outside a step with `each`", pointer, report);
      return { root: "each", name: null, path: rest };
    case "document":
      return documentRef(text, rest, pointer, scope, report);
    default:
      return refuse(text, "does not begin with `input`, `step`, `each` or `document`", pointer, report);
  }
}

function inputRef(
  text: string,
  rest: string[],
  pointer: string,
  scope: Scope,
  report: Report,
): Ref | undefined {
  const [name, ...path] = rest;
  if (name === undefined) return { root: "input", name: null, path: [] };
  if (!scope.inputs.includes(name))
    return refuse(text, "names an argument that the tool does not have", pointer, report, [
      name,
      "input",
      scope.inputs,
    ]);
  if (path.length > 0)
    return refuse(text, "has a path into an argument, which is a plain value", pointer, report);
  return { root: "input", name, path };
}

function stepRef(
  text: string,
  rest: string[],
  pointer: string,
  scope: Scope,
  report: Report,
): Ref | undefined {
  const [name, ...path] = rest;
  if (name === undefined) return refuse(text, "names no step", pointer, report);
  if (!scope.steps.includes(name))
    return refuse(text, "names a step that is not an earlier one", pointer, report, [
      name,
      "step",
      scope.steps,
    ]);
  return { root: "step", name, path };
}

function documentRef(
  text: string,
  rest: string[],
  pointer: string,
  scope: Scope,
  report: Report,
): Ref | undefined {
  const [name, ...path] = rest;
  if (!scope.document) return refuse(text, "needs a document, and `input` points at none", pointer, report);
  if (name === undefined || path.length > 0 || !documentFields.includes(name))
    return refuse(
      text,
      "is none of `document.uri`, `document.language_id`, `document.version`",
      pointer,
      report,
      [name ?? "", "document", documentFields],
    );
  return { root: "document", name, path: [] };
}

function refuse(
  text: string,
  why: string,
  pointer: string,
  report: Report,
  near?: [word: string, root: string, names: readonly string[]],
): undefined {
  const found = near ? nearest(near[0], near[2]) : undefined;
  report.add(
    "plan/bad-reference",
    pointer,
    `The reference ${JSON.stringify(text)} ${why}.`,
    undefined,
    near && found !== undefined ? `${near[1]}.${found}` : undefined,
  );
  return undefined;
}

function isLiteral(template: Template): boolean {
  return template.kind === "literal";
}

function isReference(value: unknown): value is { from: unknown } {
  return isTable(value) && Object.hasOwn(value, "from") && Object.keys(value).length === 1;
}
