/** Warnings about tools that work, but not as their author may think: caps without effect, unused arguments, lost values. */
import type { ArgPlan, LimitsPlan, StepPlan, ToolPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import type { Config, ToolConfig } from "../config/schema.js";
import { actions } from "../protocol/actions.js";
import { editArguments } from "../protocol/edit-arguments.js";
import type { Report } from "./report.js";
import { lastStep, waysOf } from "./step-values.js";
import type { PlacedTool } from "./tools.js";

interface Scope {
  config: Config;
  limits: LimitsPlan;
  /** The layer of a value: the name of a shipped config, or `config`. */
  origin(pointer: string): string;
}

/** Adds the warnings about every tool, and about the size of answers. */
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
    checkCaps(plan, given, scope, own);
    checkArguments(plan, given, own.at("args"));
    checkValues(plan, hasEffect, stepReport);
  }
  const { max_total_chars_default: chars, max_total_chars_hard: hard } = scope.config.mcp?.output ?? {};
  const output = report.at("mcp", "output", "max_total_chars_default");
  if (chars !== undefined && hard !== undefined)
    checkCap(chars, hard, "`mcp.output.max_total_chars_hard`", scope, output);
}

/** Warns of a cap that is above its limit. A shipped tool may have one, for configs with other limits. */
function checkCap(value: unknown, limit: number, key: string, { origin }: Scope, report: Report): void {
  if (typeof value !== "number" || value <= limit || origin(report.pointer) !== "config") return;
  report.add(
    "plan/cap-above-limit",
    `The value ${value} is above ${key}, so ${limit} is used.`,
    `Write at most ${limit}, or raise ${key}.`,
  );
}

function checkCaps(plan: ToolPlan, given: ToolConfig, scope: Scope, report: Report): void {
  const { limits } = scope;
  const check = (value: unknown, limit: number, key: string, ...at: (string | number)[]) =>
    checkCap(value, limit, key, scope, report.at(...at));
  check(given.max_items, limits.maxItems, "`limits.max_items`", "max_items");
  check(given.max_bytes, limits.maxBytes, "`limits.max_bytes`", "max_bytes");
  check(given.timeout_ms, limits.timeoutMs, "`limits.timeout_ms`", "timeout_ms");
  const most = plan.page?.maxSize ?? plan.maxItems;
  const key = most === plan.maxItems ? "the tool's `max_items`" : "the largest page";
  check(given.default_items, most, key, "default_items");
  const chars = typeof given.output === "object" ? given.output.max_chars : undefined;
  check(chars, limits.maxTotalCharsHard, "`mcp.output.max_total_chars_hard`", "output", "max_chars");
  given.steps?.forEach(({ wait_ms: wait, first_wait_ms: first }, index) => {
    check(wait, plan.timeoutMs, "the tool's time", "steps", index, "wait_ms");
    check(first, plan.timeoutMs, "the tool's time", "steps", index, "first_wait_ms");
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
    const ways = waysOf(step, steps);
    const isNeeded = ways.some(
      (way) => hasEffect(way) || way.expect !== "any" || isForRequests(way, steps.slice(index + 1)),
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
