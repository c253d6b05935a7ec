/**
 * Warnings about tools, prompts and resources that work, but not as their author may think: missing descriptions,
 * unused arguments, lost values.
 */
import type { ArgPlan, StepPlan, ToolPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import type { Config, ToolConfig } from "../config/schema.js";
import { actions } from "../protocol/actions.js";
import { editArguments } from "../protocol/edit-arguments.js";
import { type CapScope, checkTableCaps, checkToolCaps } from "./check-caps.js";
import { checkMappings } from "./dead-mappings.js";
import { partsOf } from "./prompts.js";
import type { Report } from "./report.js";
import { alternativesOf, lastStep } from "./step-values.js";
import type { PlacedTool } from "./tools.js";

interface Scope extends CapScope {
  /** The names of the tools that clients see. */
  listed: readonly string[];
}

/** Adds the warnings about every tool, prompt and resource, about caps and about mappings of errors. */
export function checkFindings(tools: readonly PlacedTool[], scope: Scope, report: Report): void {
  const effects = new Map(tools.map(({ plan }) => [plan.name, plan.effect]));
  const hasEffect = (step: StepPlan): boolean => {
    if (step.kind === "tool") return effects.get(step.tool) !== "read";
    if (step.kind === "runtime") return actions[step.action].effect !== "read";
    return step.kind === "notify" || step.kind === "execute_command" || step.kind === "batch";
  };
  for (const { plan, report: own, stepReport } of tools) {
    const given = scope.config.tools?.find(({ name }) => name === plan.name);
    if (given === undefined) continue;
    if (given.description === undefined)
      own.add("plan/no-description", `The tool \`${plan.name}\` has no description.`);
    checkToolCaps(plan, given, scope, own);
    checkArguments(plan, given, own.at("args"));
    checkValues(plan, hasEffect, stepReport);
  }
  checkTableCaps(scope, report);
  checkPrompts(scope.config, report);
  checkResources(scope.config, report);
  checkMappings(
    scope.dialect,
    tools.map(({ plan }) => plan).filter(({ name }) => scope.listed.includes(name)),
    scope.origin,
    report.at("dialect"),
  );
}

/** Warns of prompts and arguments without descriptions, and of arguments that no message uses. */
function checkPrompts({ prompts = [] }: Config, report: Report): void {
  prompts.forEach(({ name, description, args = {}, messages = [] }, index) => {
    const own = report.at("prompts", index);
    if (description === undefined)
      own.add("plan/no-description", `The prompt \`${name}\` has no description.`);
    const used = messages.flatMap(({ text }) => wordsOf(text));
    for (const [arg, about] of Object.entries(args)) {
      const at = own.at("args", arg);
      if (about.description === undefined)
        at.add("plan/no-description", `The argument \`${arg}\` of \`${name}\` has no description.`);
      if (!used.includes(arg))
        at.add(
          "plan/unused-argument",
          `No message of the prompt uses the argument \`${arg}\`.`,
          `Write \`{{${arg}}}\` in a message, or remove the argument.`,
        );
    }
  });
}

/** The words in the tags of a template. Texts in quotes are no names. */
function wordsOf(template: string): string[] {
  const tags = [...template.matchAll(/\{\{(.*?)\}\}/gs)].map(([, tag = ""]) => tag);
  return tags.flatMap((tag) => tag.replaceAll(/"[^"]*"|'[^']*'/g, " ").match(/[\w$]+/g) ?? []);
}

/** Warns of resources without descriptions, and of parts of URIs that no argument takes. */
function checkResources({ resources = [] }: Config, report: Report): void {
  resources.forEach(({ name, description, uri = "", args = {} }, index) => {
    const own = report.at("resources", index);
    if (description === undefined)
      own.add("plan/no-description", `The resource \`${name}\` has no description.`);
    const taken = Object.values(args).map((value) => (isTable(value) ? value.from : undefined));
    for (const part of partsOf(uri))
      if (!taken.includes(`uri.${part}`))
        own
          .at("uri")
          .add(
            "plan/unused-argument",
            `No argument takes the part \`{${part}}\` of the URI.`,
            `Pass it to the tool: \`args.NAME = { from = "uri.${part}" }\`, or remove it.`,
          );
  });
}

/** Warns of arguments, and of members of objects, that nothing refers to. */
function checkArguments(tool: ToolPlan, { args = {} }: ToolConfig, report: Report): void {
  const used = [
    ...referencesIn([tool.steps, tool.output], "input"),
    ...[tool.serverArgument, tool.target].flatMap((name) => (name === null ? [] : [[name]])),
    ...(isEdit(tool) ? Object.values(editArguments).map((name) => [name]) : []),
  ];
  const check = (arg: ArgPlan, path: readonly string[], at: Report): void => {
    if (used.some((ref) => ref.every((part, index) => path[index] === part))) return;
    const inside = used.some((ref) => path.every((part, index) => ref[index] === part));
    if (!inside) {
      const name = path.join(".");
      at.add("plan/unused-argument", `Nothing in the tool refers to the argument \`${name}\`.`);
    } else if (arg.form?.kind === "object")
      for (const member of arg.form.properties)
        check(member, [...path, member.name], at.at("properties", member.name));
  };
  for (const arg of tool.args) {
    const given = args[arg.name];
    if (given !== undefined && given.no_effect !== true) check(arg, [arg.name], report.at(arg.name));
  }
}

/** Whether the runtime itself reads the arguments of edits. */
function isEdit({ steps, output }: ToolPlan): boolean {
  const givesEdit = (step: StepPlan) => step.kind === "runtime" && actions[step.action].gives === "edit";
  return output.apply === "on_request" || steps.some(givesEdit);
}

/** Warns of steps whose value nobody uses, and of texts that look like templates and are sent as they are. */
function checkValues(
  { steps, output }: ToolPlan,
  hasEffect: (step: StepPlan) => boolean,
  reportOf: (index: number) => Report,
): void {
  const named = referencesIn([steps, output], "step").flatMap(([id]) => id ?? []);
  const shown = output.shape === "members" ? output.members.map(({ step }) => step) : output.gather;
  const last = output.shape === "members" ? [] : [lastStep(steps)?.id];
  const used = new Set([...named, ...shown, ...last]);
  steps.forEach((step, index) => {
    for (const text of textsIn(step))
      if (/\{\{.*?\}\}/s.test(text))
        reportOf(index).add("plan/literal-template", `The text ${JSON.stringify(text)} is sent as it is.`);
    if (steps.some(({ orElse }) => orElse === step.id)) return;
    const alternatives = alternativesOf(step, steps);
    const isNeeded = alternatives.some(
      (alternative) =>
        hasEffect(alternative) ||
        alternative.expect !== "any" ||
        isForRequests(alternative, steps.slice(index + 1)),
    );
    if (!used.has(step.id) && !isNeeded)
      reportOf(index).add("plan/lost-value", `Nothing uses the value of the step \`${step.id}\`.`);
  });
}

/** Whether later requests send the diagnostics of a step. */
function isForRequests({ kind }: StepPlan, later: readonly StepPlan[]): boolean {
  const isSent = (step: StepPlan) =>
    step.kind === "request" && step.params.base === "text_document_range_diagnostics";
  return kind === "diagnostics" && later.some(isSent);
}

/** The names and paths of all references with a root, wherever they are in a plan. */
function referencesIn(value: unknown, root: "input" | "step"): string[][] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, root));
  if (!isTable(value) || value.kind === "literal") return [];
  if (value.root === root && Array.isArray(value.path))
    return [[value.name, ...value.path].filter((part) => typeof part === "string")];
  // The condition of a step names its argument.
  const argument = root === "input" && typeof value.argument === "string" ? [value.argument.split(".")] : [];
  return [...argument, ...Object.values(value).flatMap((member) => referencesIn(member, root))];
}

/** The texts in the literals of a step. */
function textsIn(value: unknown, isLiteral = false): string[] {
  if (typeof value === "string") return isLiteral ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, isLiteral));
  if (!isTable(value)) return [];
  const inside = isLiteral || value.kind === "literal";
  return Object.values(value).flatMap((member) => textsIn(member, inside));
}
