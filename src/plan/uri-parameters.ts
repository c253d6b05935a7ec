/**
 * Checks that what clients write reaches a server's parameters only as it should: a URI only from a place argument, which
 * is checked against the roots, and the positions of places only in parameters, where each server gets its own encoding.
 */
import type { ArgPlan, Ref, StepPlan, Template } from "../abi/plan.js";
import { toPointer } from "../base/json.js";
import type { Config } from "../config/schema.js";
import { fileMembers, hasPlace, isPlaceType } from "../protocol/place-arguments.js";
import type { Report } from "./report.js";

interface Scope {
  config: Config;
  args: readonly ArgPlan[];
  /** The names of pointing arguments, in references. */
  pointing: readonly string[];
}

/** Parameters of LSP methods that are URIs without being called so. */
const uriParameters: { readonly [method: string]: readonly string[] } = {
  "documentLink/resolve": ["/target"],
};

/** Checks the references of every step to arguments. */
export function checkPlaces(
  steps: readonly StepPlan[],
  scope: Scope,
  reportOf: (index: number) => Report,
): void {
  steps.forEach((step, index) => {
    const report = reportOf(index);
    if ((step.kind === "request" || step.kind === "notify") && step.params.set !== null) {
      const declared = scope.config.methods?.find((entry) => entry.method === step.method)?.uris ?? [];
      const uris = [...declared, ...(uriParameters[step.method] ?? [])];
      checkSent(step.params.set, [], { ...scope, uris }, report.at("params", "set"));
    }
    if (step.kind === "execute_command" && step.arguments !== null)
      checkSent(step.arguments, [], { ...scope, uris: [] }, report.at("arguments"));
    if ((step.kind === "tool" || step.kind === "runtime") && step.args !== null)
      checkPassed(step.args, scope, report.at("args"));
    if (step.kind === "choose") checkPassed(step.item, scope, report.at("item"));
  });
}

interface SentScope extends Scope {
  uris: readonly string[];
}

/** A value that is sent to a server; `path` is where it is in the parameters. */
function checkSent(template: Template, path: readonly string[], scope: SentScope, report: Report): void {
  if (template.kind === "list")
    template.items.forEach((item, index) => {
      checkSent(item, [...path, String(index)], scope, report.at(index));
    });
  else if (template.kind === "table")
    for (const [key, value] of template.entries) checkSent(value, [...path, key], scope, report.at(key));
  else if (template.kind === "ref" && template.ref.root === "input")
    checkSentArgument(template.ref, path, scope, report);
}

function checkSentArgument(ref: Ref, path: readonly string[], scope: SentScope, report: Report): void {
  const { args, pointing } = scope;
  const bad = (at: readonly string[]) => {
    const name = toPointer(at);
    report.add(
      "plan/unchecked-uri",
      `The parameter \`${name}\` is a URI, and \`${["input", ref.name, ...ref.path].filter((part) => part !== null).join(".")}\` is not checked against the roots.`,
    );
  };
  if (ref.name === null) {
    if (args.some(hasPlace))
      report.add("plan/bad-step", "The arguments contain places.", "Name the arguments one by one.");
    for (const name of pointing) if (isUri([...path, name], scope)) bad([...path, name]);
    for (const arg of args) reportUris(arg, [...path, arg.name], scope, bad);
    return;
  }
  const arg = args.find(({ name }) => name === ref.name);
  if (arg === undefined) {
    // A pointing argument is checked, but what the client wrote is not a URI.
    if (pointing.includes(ref.name) && isUri(path, scope)) bad(path);
    return;
  }
  const part = partOf(arg, ref.path);
  if (part === "uri") return;
  if (part === "other") {
    if (isUri(path, scope)) bad(path);
  } else reportUris(part, path, scope, bad);
}

/** The part of an argument that a reference names: an argument, or a member of a place. */
function partOf(arg: ArgPlan, path: readonly string[]): ArgPlan | "uri" | "other" {
  const [member, ...rest] = path;
  if (member === undefined) return arg;
  if (isPlaceType(arg.type)) return member === "uri" ? "uri" : "other";
  const inside =
    arg.form?.kind === "object" ? arg.form.properties.find(({ name }) => name === member) : undefined;
  return inside === undefined ? "other" : partOf(inside, rest);
}

/** Reports each URI of the parameters that an argument would fill with a text that nobody checks. */
function reportUris(
  arg: ArgPlan,
  path: readonly string[],
  scope: SentScope,
  bad: (path: readonly string[]) => void,
): void {
  const { form, type } = arg;
  if (type === "path" || type === "uri") return;
  if (form?.kind === "list") reportUris(form.items, [...path, "0"], scope, bad);
  else if (form?.kind === "object")
    for (const member of form.properties) reportUris(member, [...path, member.name], scope, bad);
  else if ((type === "string" || type === "string_list") && arg.enum === null) {
    if (isUri(path, scope)) bad(path);
  }
  // The keys of such tables are the client's own, so one may be `uri`.
  else if (
    type === "string_map" ||
    type === "text_edits" ||
    type === "document_changes" ||
    type === "file_edits" ||
    type === "operations"
  )
    bad([...path, "uri"]);
}

/** Whether a parameter is a URI, by its name or because the method is declared so. A list of URIs is named like them. */
function isUri(path: readonly string[], { uris }: SentScope): boolean {
  const named = path.filter((key) => !/^\d+$/.test(key));
  return (
    /uris?$/i.test(named.at(-1) ?? "") || uris.includes(toPointer(named)) || uris.includes(toPointer(path))
  );
}

/** A value for another tool or the runtime, which check it themselves: an argument as the client wrote it, or a text of a place. */
function checkPassed(template: Template, scope: Scope, report: Report): void {
  if (template.kind === "list")
    template.items.forEach((item, index) => {
      checkPassed(item, scope, report.at(index));
    });
  else if (template.kind === "table")
    for (const [key, value] of template.entries) checkPassed(value, scope, report.at(key));
  else if (template.kind === "ref" && template.ref.root === "input") {
    const { name, path } = template.ref;
    const arg = scope.args.find((candidate) => candidate.name === name);
    const member = path.at(-1) ?? "";
    if (arg === undefined || partOf(arg, path) !== "other" || [...fileMembers, "name"].includes(member))
      return;
    report.add(
      "plan/bad-step",
      `\`${member}\` of a place is only for the parameters of requests and commands.`,
      "Pass the whole argument, or its `path`.",
    );
  }
}
