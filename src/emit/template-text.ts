/** References and templates of a plan as JavaScript expressions in a generated handler. */
import type { ArgPlan, Ref, Template } from "../abi/plan.js";
import { Fault } from "../base/problem.js";
import { hasPlace } from "../protocol/place-arguments.js";
import { lit, memberText, objectText } from "./code-text.js";

/** The arguments of the tool, for references. */
export interface Names {
  args: readonly ArgPlan[];
  /** Pointing arguments: name in references → name in the dialect. */
  pointing: { readonly [name: string]: string };
  /** Whether the value is sent to a server, which gets places in its own encoding. */
  isSent: boolean;
}

export function sent(names: Names): Names {
  return { ...names, isSent: true };
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
export function localName(stepId: string): string {
  return reserved.has(stepId) ? `${stepId}$` : stepId;
}

/** A template as a JavaScript expression. */
export function templateText(template: Template, names: Names): string {
  switch (template.kind) {
    case "literal":
      return lit(template.value);
    case "ref":
      return refText(template.ref, names);
    case "given":
      return `(${refText(template.ref, names)}) === undefined ? ${lit(template.missing)} : ${lit(template.given)}`;
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
    // A text that is not sent to a server stays as the client wrote it, unless it is a text of a place.
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
