/**
 * Checks that what clients write reaches a server's parameters only as it should: a URI only from a place argument,
 * which is checked against the roots, and the positions of places only in parameters, where each server gets its own
 * encoding. Where nothing says which parameters are URIs, no text of a client is sent.
 */
import type { ArgPlan, Ref, StepPlan, Template } from "../abi/plan.js";
import { fromPointer, toPointer } from "../base/json.js";
import type { Config } from "../config/schema.js";
import { methodNames } from "../protocol/methods.js";
import { notifications } from "../protocol/notifications.js";
import { fileMembers, hasPlace, isPlaceType } from "../protocol/place-arguments.js";
import type { Report } from "./report.js";
import { sourcesOf } from "./step-values.js";

interface Scope {
  config: Config;
  args: readonly ArgPlan[];
  /** The names of pointing arguments, in references. */
  pointing: readonly string[];
  /** The URIs in the arguments of the command of each step. */
  commandUris: readonly (readonly string[] | undefined)[];
}

/** Members of LSP parameters that are URIs without being called so. */
const uriMembers: readonly string[] = ["href", "target"];

/** Members of LSP parameters that each server fills as it likes. */
const openMembers: readonly string[] = ["arguments", "data", "settings"];

/** Pointing arguments that are texts as the client wrote them. A server may read the file's path in its own way. */
const pointingTexts: readonly string[] = ["file_path", "symbol_name", "symbol_kind", "line_text", "query"];

/** Formats of texts that are no paths. */
const certainFormats: readonly string[] = ["date", "date-time", "uuid"];

/** An item of a list, whatever its index. */
const anyIndex = "*";

/** Checks the references of every step to arguments, and to what may repeat them. */
export function checkPlaces(
  steps: readonly StepPlan[],
  scope: Scope,
  reportOf: (index: number) => Report,
): void {
  steps.forEach((step, index) => {
    const report = reportOf(index);
    if ((step.kind === "request" || step.kind === "notify") && step.params.set !== null) {
      const sent = { ...scope, ...urisOf(step.method, scope.config), steps };
      checkSent(step.params.set, [], sent, report.at("params", "set"));
    }
    if (step.kind === "execute_command" && step.arguments !== null) {
      const uris = scope.commandUris[index];
      const isUnknown = () => uris === undefined;
      const who = { declare: "`uris` of the step", isUnknown, isSpecifiedUri: () => false };
      checkSent(step.arguments, [], { ...scope, ...who, uris: uris ?? [], steps }, report.at("arguments"));
    }
    if ((step.kind === "tool" || step.kind === "runtime") && step.args !== null)
      checkPassed(step.args, scope, report.at("args"));
    if (step.kind === "choose") checkPassed(step.item, scope, report.at("item"));
  });
}

interface SentScope extends Scope {
  steps: readonly StepPlan[];
  uris: readonly string[];
  /** Whether the specification says that a parameter is a URI. */
  isSpecifiedUri(path: readonly string[]): boolean;
  /** Whether nothing says what a parameter is. */
  isUnknown(path: readonly string[]): boolean;
  /** Where the author can say it. */
  declare: string;
}

/** The URIs in the parameters of a method, from the specification or its declaration. */
function urisOf(
  method: string,
  { methods = [] }: Config,
): Pick<SentScope, "uris" | "isSpecifiedUri" | "isUnknown" | "declare"> {
  const declared = methods.find((entry) => entry.method === method)?.uris;
  const isSpecified = methodNames.includes(method) || notifications.includes(method);
  const isOpen = (path: readonly string[]) => !isSpecified || path.some((key) => openMembers.includes(key));
  return {
    uris: declared ?? [],
    isSpecifiedUri: (path) => !isOpen(path) && uriMembers.includes(path.at(-1) ?? ""),
    isUnknown: (path) => declared === undefined && isOpen(path),
    declare: `\`uris\` of the \`[[methods]]\` entry for \`${method}\``,
  };
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
  else if (template.kind === "ref" && template.ref.root === "step" && isOwnAnswer(template.ref, scope.steps))
    report.add(
      "plan/unchecked-uri",
      `\`${textOf(template.ref)}\` is part of the answer of a tool or of the runtime, which may repeat texts of the client.`,
      "Use the reply of a request, or call a tool with the value: a tool checks its arguments.",
    );
}

/** Whether a step, or one that may take its place, gives an answer that does not come from a server alone. */
function isOwnAnswer(ref: Ref, steps: readonly StepPlan[]): boolean {
  return sourcesOf(ref, steps).some(({ kind }) => ["tool", "runtime", "batch"].includes(kind));
}

function textOf({ root, name, path }: Ref): string {
  return [root, name, ...path].filter((part) => part !== null).join(".");
}

function checkSentArgument(ref: Ref, path: readonly string[], scope: SentScope, report: Report): void {
  const { args, pointing } = scope;
  /** Reports a text of the client for a parameter that is a URI, or may be one. */
  const text = (at: readonly string[], isUri = isNamedUri(at, scope)) => {
    const name = toPointer(at);
    if (isUri)
      report.add(
        "plan/unchecked-uri",
        `The parameter \`${name}\` is a URI, and \`${textOf(ref)}\` is not checked against the roots.`,
      );
    else if (scope.isUnknown(at))
      report.add(
        "plan/unchecked-uri",
        `Nothing says whether the parameter \`${name}\` is a URI, and \`${textOf(ref)}\` is not checked against the roots.`,
        `Name the parameters that are URIs or paths in ${scope.declare}, \`[]\` for none. Such a parameter takes an argument with \`type = "path"\` or \`type = "uri"\`.`,
      );
  };
  const pointed = (name: string, at: readonly string[]) => {
    if (pointingTexts.includes(name) || isNamedUri(at, scope)) text(at);
  };
  if (ref.name === null) {
    if (args.some(hasPlace))
      report.add("plan/bad-step", "The arguments contain places.", "Name the arguments one by one.");
    for (const name of pointing) pointed(name, [...path, name]);
    for (const arg of args) checkTexts(arg, [...path, arg.name], text);
    return;
  }
  const arg = args.find(({ name }) => name === ref.name);
  if (arg === undefined) {
    if (pointing.includes(ref.name)) pointed(ref.name, path);
    return;
  }
  const part = partOf(arg, ref.path);
  if (part === "uri") return;
  if (part !== "other") checkTexts(part, path, text);
  // The name of a symbol is a text. A path is checked: it may be what a declared place takes, but it is no URI.
  else if (ref.path.at(-1) === "name" || isNamedUri(path, isPath(ref) ? { ...scope, uris: [] } : scope))
    text(path);
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

function isPath({ path }: Ref): boolean {
  return ["path", "absolute_path"].includes(path.at(-1) ?? "");
}

/** Calls `text` for each text of the client in an argument, with its place in the parameters. */
function checkTexts(
  { form, type, enum: words }: ArgPlan,
  path: readonly string[],
  text: (path: readonly string[], isUri?: boolean) => void,
): void {
  if (isPlaceType(type)) return;
  if (form?.kind === "list") checkTexts(form.items, [...path, anyIndex], text);
  else if (form?.kind === "object")
    for (const member of form.properties) checkTexts(member, [...path, member.name], text);
  else if (form?.kind === "text" && certainFormats.includes(form.format ?? "")) return;
  else if (type === "string" && words === null) text(path);
  else if (type === "string_list" && words === null) text([...path, anyIndex]);
  // The keys of such tables are the client's own, so one may be `uri`.
  else if (
    type === "string_map" ||
    type === "text_edits" ||
    type === "document_changes" ||
    type === "file_edits" ||
    type === "operations"
  )
    text([...path, "uri"], true);
}

/** Whether a parameter is a URI, by its name or because it is declared so. A list of URIs is named like them. */
function isNamedUri(path: readonly string[], { uris, isSpecifiedUri }: SentScope): boolean {
  const named = path.filter((key) => key !== anyIndex && !/^\d+$/.test(key));
  if (/uris?$/i.test(named.at(-1) ?? "") || isSpecifiedUri(named)) return true;
  return uris.map(fromPointer).some((declared) => isSame(declared, named) || isSame(declared, path));
}

function isSame(declared: readonly string[], path: readonly string[]): boolean {
  const isAny = (key: string, index: number) => path[index] === anyIndex && /^\d+$/.test(key);
  return (
    declared.length === path.length &&
    declared.every((key, index) => key === path[index] || isAny(key, index))
  );
}

/**
 * A value for another tool or the runtime, which check it themselves:
 * an argument as the client wrote it, or a text of a place.
 */
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
