/** Warns about entries of `dialect.errors` and `dialect.warnings` that can never apply. */
import type { ArgPlan, DialectPlan, StepPlan, ToolPlan } from "../abi/plan.js";
import { type Code, codes } from "../base/codes.js";
import { hasPlace } from "../protocol/place-arguments.js";
import type { Report } from "./report.js";
import { pointingAnchors } from "./requests.js";

/**
 * Checks the mappings; `tools` are those that clients see.
 * A shipped dialect may map more, for configs with other tools.
 */
export function checkMappings(
  dialect: DialectPlan,
  tools: readonly ToolPlan[],
  origin: (pointer: string) => string,
  report: Report,
): void {
  checkErrorForm(dialect, report);
  const possible = (...kinds: string[]) =>
    (Object.keys(codes) as Code[]).filter(
      (code) => kinds.includes(codes[code].kind) && isPossible(code, tools),
    );
  const check = (map: object, found: readonly Code[], at: Report): void => {
    const keys = Object.keys(map);
    for (const key of keys) {
      const own = at.at(key);
      if (origin(own.pointer) === "config" && found.every((code) => keyFor(code, keys) !== key))
        own.add(
          "plan/dead-mapping",
          neverMatches(key, keys, found),
          "Remove the entry, or list a tool whose calls can have the code.",
        );
    }
  };
  for (const map of ["codes", "messages", "numbers"] as const)
    check(dialect.errors[map], possible("refusal", "fault"), report.at("errors", map));
  check(dialect.warnings.codes, possible("warning"), report.at("warnings", "codes"));
}

/** The key that maps a code: the code itself, its family, or `*`. */
function keyFor(code: Code, keys: readonly string[]): string | undefined {
  return [code, familyOf(code), "*"].find((key) => keys.includes(key));
}

function neverMatches(key: string, keys: readonly string[], possible: readonly Code[]): string {
  const inside = possible.filter((code) => key === "*" || code === key || familyOf(code) === key);
  return inside.length > 0 && keys.length > 1
    ? `\`${key}\` never applies: every code that it stands for has an entry of its own.`
    : `\`${key}\` never applies: no call of the listed tools ends with such a code.`;
}

function familyOf(code: string): string {
  return code.slice(0, code.indexOf("/"));
}

/** The features without which a code cannot occur, by code or family; codes that are not here may always occur. */
const needs: { readonly [code: string]: (tool: ToolPlan) => boolean } = {
  edit: (tool) =>
    tool.effect !== "read" || hasStep(tool, ({ kind }) => kind === "choose") || tool.args.some(isDestination),
  page: ({ page }) => page !== null,
  point: ({ input, args }) =>
    pointingAnchors(input).some((anchor) => anchor !== "workspace") || args.some(hasPlace),
  "point/no-line": ({ input }) => input.includes("text"),
  "call/interrupted": ({ effect }) => effect !== "read",
  "call/must-be-empty": (tool) => hasStep(tool, ({ expect }) => expect === "none"),
  "call/not-begun": callsTools,
  "call/steps-failed": callsTools,
  "answer/answers-dropped": (tool) => hasStep(tool, ({ kind }) => kind === "batch"),
  "answer/attributes-lost": changesFiles,
  "answer/command-skipped": (tool) => changesFiles(tool) || tool.output.shape === "code_actions",
  "answer/command-unseen": changesFiles,
  "answer/edit-incomplete": changesFiles,
  "answer/needs-confirmation": changesFiles,
  "answer/not-undone": changesFiles,
  "answer/old-file-kept": changesFiles,
  "answer/or-else": (tool) => hasStep(tool, ({ orElse }) => orElse !== null),
  "answer/owner-lost": changesFiles,
  "answer/references-kept": changesFiles,
  "answer/save-unguarded": changesFiles,
  "answer/snippet-stripped": changesFiles,
  "answer/step-failed": (tool) => callsTools(tool) || tool.output.shape === "members",
  "answer/without-diagnostics": (tool) =>
    hasStep(
      tool,
      (step) => step.kind === "request" && step.params.base === "text_document_range_diagnostics",
    ),
};

/** Warnings about a config are for its author; answers have only those of calls. */
function isPossible(code: Code, tools: readonly ToolPlan[]): boolean {
  if (codes[code].kind === "warning" && familyOf(code) !== "answer") return false;
  return [needs[familyOf(code)], needs[code]].every((need) => need === undefined || tools.some(need));
}

function hasStep({ steps }: ToolPlan, has: (step: StepPlan) => boolean): boolean {
  return steps.some(has);
}

function callsTools(tool: ToolPlan): boolean {
  return hasStep(tool, ({ kind }) => kind === "tool" || kind === "batch");
}

function changesFiles({ effect }: ToolPlan): boolean {
  return effect !== "read";
}

/** Whether an argument is a path where nothing may be yet: it must be writable. */
function isDestination({ form }: ArgPlan): boolean {
  if (form?.kind === "list") return isDestination(form.items);
  if (form?.kind === "object") return form.properties.some(isDestination);
  return form?.kind === "place" && form.exists === false;
}

/** Warns of mappings of errors that no answer shows. */
function checkErrorForm({ errors, result }: DialectPlan, report: Report): void {
  const isProtocol = errors.form === "protocol";
  const dead = (message: string, ...at: string[]) =>
    report.at("errors", ...at).add("plan/dead-mapping", message);
  const unknownTool = "guard/unknown-tool";
  const isMapped = isProtocol || Object.hasOwn(errors.numbers, unknownTool);
  for (const map of ["codes", "messages"] as const)
    if (!isMapped && Object.hasOwn(errors[map], unknownTool))
      dead(
        'This entry has no effect: an unknown tool is a JSON-RPC error unless `numbers` has its code or `form = "protocol"`.',
        map,
        unknownTool,
      );
  if (isProtocol && errors.text !== null) dead("A JSON-RPC error has no text of its own.", "text");
  // Without a template, the text of an error has its code and message. `json` shows members by any path.
  const hasWord = (word: string) =>
    errors.text !== null && new RegExp(`\\b(${word}|json)\\b`).test(errors.text);
  const isInText = (word: string) => (errors.text === null && word !== "number") || hasWord(word);
  const isHidden = (word: string, isMember: boolean) =>
    !isProtocol && !isInText(word) && !(isMember && result !== "text");
  const shows = { codes: "code", messages: "message", numbers: "number" } as const;
  for (const [map, word] of Object.entries(shows) as [keyof typeof shows, string][])
    if (Object.keys(errors[map]).length > 0 && isHidden(word, map !== "numbers" || errors.number !== ""))
      dead(`No answer shows the ${word} of an error.`, map);
}
