/** Templates and references of the plan as JavaScript expressions. */
import type { ArgPlan, Ref, Template } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import { Fault } from "../base/problem.js";
import { lit, memberText, objectText } from "./literal.js";

/** What an expression needs to know of its tool. */
export interface Names {
  args: readonly ArgPlan[];
  /** Pointing arguments: the name that references use → the name that the dialect gives them. */
  pointing: { readonly [name: string]: string };
}

/** Words that cannot be a local name in a handler: JavaScript's own, and those that the handler uses. */
const taken: ReadonlySet<string> = new Set(
  (
    "abi arguments async at await break call case catch class const continue debugger default delete do else enum " +
    "eval export extends false finally for function if implements import in input instanceof interface item let new " +
    "null of package private process protected public require return static super switch this throw true try typeof " +
    "undefined var void while with yield"
  ).split(" "),
);

/** The local name of a step. A `$` cannot stand in a step's id, so an escaped name never meets another. */
export function localName(stepId: string): string {
  return taken.has(stepId) ? `${stepId}$` : stepId;
}

/** A template as an expression. */
export function templateText(template: Template, names: Names): string {
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
  const spelt = names.pointing[name];
  if (spelt === undefined) throw new Fault(`the plan refers to the argument ${name}, which does not exist`);
  return memberText("input", spelt);
}

function documentMember(name: string | null): string {
  if (name === "uri" || name === "version") return name;
  if (name === "language_id") return "languageId";
  throw new Fault(`the plan refers to document.${name}, which does not exist`);
}
