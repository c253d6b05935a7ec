/**
 * Builds templates from config values. A table with the single key `from` is a reference and is checked against its
 * scope; with `given` and `missing` it is one of two values; everything else is a literal. Keys of tables are sorted,
 * lists keep their order.
 */
import type { Ref, Template } from "../abi/plan.js";
import { canonical, isTable, type Json } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortBy } from "../base/order.js";
import type { Report } from "./report.js";

/** The names that a reference may use in one step. */
export interface Scope {
  /** Arguments, their members (`options.tab_size`) and pointing arguments, by the names that references use. */
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

/** A config value as a template; bad references are reported. */
export function buildTemplate(value: unknown, scope: Scope, report: Report): Template {
  if (isReference(value)) {
    const at = report.at("from");
    const ref = typeof value.from === "string" ? parseRef(value.from, scope, at) : undefined;
    if (typeof value.from !== "string") at.add("plan/bad-reference", "`from` is not a text.");
    return ref ? { kind: "ref", ref } : { kind: "literal", value: null };
  }
  if (isChoice(value)) return buildChoice(value, scope, report);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => buildTemplate(item, scope, report.at(index)));
    return items.every(isLiteral)
      ? { kind: "literal", value: canonical(value) as Json }
      : { kind: "list", items };
  }
  if (!isTable(value)) return { kind: "literal", value: value as Json };
  const entries = sortBy(Object.keys(value), (key) => [key]).map((key): [string, Template] => [
    key,
    buildTemplate(value[key], scope, report.at(key)),
  ]);
  return entries.every(([, entry]) => isLiteral(entry))
    ? { kind: "literal", value: canonical(value) as Json }
    : { kind: "table", entries };
}

/** One of two values, by whether an argument is given. */
function buildChoice({ from, given, missing }: Choice, scope: Scope, report: Report): Template {
  const ref = typeof from === "string" ? parseRef(from, scope, report.at("from")) : undefined;
  if (ref === undefined || ref.root !== "input" || ref.name === null) {
    const message = "Only an argument, `input.NAME`, has `given` and `missing`.";
    if (ref !== undefined || typeof from !== "string") report.at("from").add("plan/bad-reference", message);
    return { kind: "literal", value: null };
  }
  const literal = (key: "given" | "missing", value: unknown): Json => {
    const built = buildTemplate(value, scope, report.at(key));
    if (built.kind === "literal") return built.value;
    report.at(key).add("plan/bad-reference", `\`${key}\` has a reference. Write a value.`);
    return null;
  };
  return { kind: "given", ref, given: literal("given", given), missing: literal("missing", missing) };
}

/** Parses a reference; undefined after reporting why it is bad. */
export function parseRef(text: string, scope: Scope, report: Report): Ref | undefined {
  const [root = "", ...parts] = text.split(".");
  const [name, ...path] = parts;
  const bad = (why: string, known: readonly string[] = []): undefined => {
    const near = nearest(name ?? "", known);
    const suggestion = near === undefined ? undefined : `${root}.${near}`;
    const message = `The reference ${JSON.stringify(text)} ${why}.`;
    report.add("plan/bad-reference", message, undefined, suggestion);
  };
  if (parts.some((part) => part === "" || unsafeKeys.includes(part)))
    return bad("has an empty or forbidden part");
  switch (root) {
    case "input":
      if (name === undefined) return { root, name: null, path: [] };
      if (!scope.inputs.includes(name))
        return bad("names an argument that the tool does not have", scope.inputs);
      if (path.length > 0 && !scope.inputs.includes(parts.join(".")))
        return badMember(text, parts, scope, report);
      return { root, name, path };
    case "step":
      if (name === undefined) return bad("names no step");
      if (!scope.steps.includes(name)) return bad("names a step that is not an earlier one", scope.steps);
      return { root, name, path };
    case "each":
      if (!scope.each) return bad("is outside a step with `each`");
      return { root, name: null, path: parts };
    case "document":
      if (!scope.document) return bad("needs a document, and `input` points at none");
      if (name === undefined || path.length > 0 || !documentFields.includes(name))
        return bad("is none of `document.uri`, `document.language_id`, `document.version`", documentFields);
      return { root, name, path };
    default:
      return bad("does not begin with `input`, `step`, `each` or `document`");
  }
}

/** Reports a reference into an argument that has no such member. */
function badMember(text: string, [name = "", ...path]: string[], scope: Scope, report: Report): undefined {
  const known = scope.inputs.filter((input) => input.startsWith(`${name}.`));
  const near = nearest([name, ...path].join("."), known);
  const why = known.length === 0 ? "which is a plain value" : "which has no such member";
  const message = `The reference ${JSON.stringify(text)} has a path into an argument, ${why}.`;
  report.add("plan/bad-reference", message, undefined, near === undefined ? undefined : `input.${near}`);
}

function isLiteral(template: Template): boolean {
  return template.kind === "literal";
}

interface Choice {
  from: unknown;
  given: unknown;
  missing: unknown;
}

function isChoice(value: unknown): value is Choice {
  const keys = ["from", "given", "missing"];
  return isTable(value) && Object.keys(value).length === 3 && keys.every((key) => Object.hasOwn(value, key));
}

function isReference(value: unknown): value is { from: unknown } {
  return isTable(value) && Object.hasOwn(value, "from") && Object.keys(value).length === 1;
}
