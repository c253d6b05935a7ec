/**
 * Tools that call tools. Checks that there are no cycles, that arguments fit, and that the calling tool declares every
 * effect. Fills in the tools that each batch may call: a batch calls no other batch.
 */
import type { DialectPlan, Effect, StepPlan, Template } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { actions } from "../protocol/actions.js";
import { listingNames } from "../protocol/pointing.js";
import { quoted, type Report } from "./report.js";
import { argumentNames, misfit, missingNames } from "./tool-arguments.js";
import type { PlacedTool } from "./tools.js";

export function checkWorkflows(tools: readonly PlacedTool[], dialect: DialectPlan): void {
  const byName = new Map(tools.map((tool) => [tool.plan.name, tool]));
  for (const tool of tools) {
    tool.plan.steps.forEach((step, index) => {
      const report = tool.stepReport(index);
      if (step.kind === "tool") {
        const callee = byName.get(step.tool);
        if (callee) checkArguments(tool, step, callee, dialect, report.at("args"));
        else if (step.tool !== "")
          report.at("tool").unknown("plan/unknown-tool", "The tool", step.tool, [...byName.keys()]);
        const isRead = callee === undefined || callee.plan.effect === "read";
        if (step.each !== null && !isRead)
          report.at("each").add("plan/bad-step", "Only a tool that reads is called for each item.");
      }
      checkEffect(tool, step, byName, report);
    });
  }
  reportCycles(byName);
}

type ToolStep = Extract<StepPlan, { kind: "tool" }>;

/** Checks the arguments that a step passes to the tool that it calls. */
function checkArguments(
  tool: PlacedTool,
  step: ToolStep,
  callee: PlacedTool,
  dialect: DialectPlan,
  report: Report,
): void {
  for (const [name, value] of entriesOf(step)) {
    const why = value.kind === "literal" ? misfit(name, value.value, callee.plan, dialect) : undefined;
    if (why === undefined) continue;
    const message = `\`${name}\` of \`${step.tool}\` ${why}.`;
    report.at(name).add("plan/bad-step", message, "Correct the value.");
  }
  const takes = argumentNames(callee.plan, dialect);
  const given = givenNames(tool, step, callee, takes, dialect);
  const extra = given.filter((name) => !takes.includes(name));
  const missing = missingNames(callee.plan, given, dialect);
  const bad = (message: string, fix: string) =>
    report.add("plan/bad-step", `The tool \`${step.tool}\` ${message}.`, fix);
  if (extra.length > 0) bad(`takes no ${quoted(extra)}`, "Give the arguments one by one in a table.");
  if (missing.length > 0) bad(`needs ${quoted(missing)}`, "Add the arguments.");
}

/** The names of the arguments that a tool step passes. */
function givenNames(
  tool: PlacedTool,
  step: ToolStep,
  callee: PlacedTool,
  takes: readonly string[],
  dialect: DialectPlan,
): string[] {
  if (step.args.kind !== "ref") return entriesOf(step).map(([name]) => name);
  // Paging arguments are not passed to a tool that has none.
  const own = listingNames(tool.plan, dialect).filter((name) => !takes.includes(name));
  // The pointing arguments are passed by the names that the called tool has for them.
  const named = { ...tool.plan, pointing: callee.plan.pointing };
  return argumentNames(named, dialect).filter((name) => !own.includes(name));
}

/** The arguments that a step names one by one. */
function entriesOf({ args }: ToolStep): [string, Template][] {
  if (args.kind === "table") return args.entries;
  if (args.kind !== "literal" || !isTable(args.value)) return [];
  return Object.entries(args.value).map(([name, value]) => [name, { kind: "literal", value }]);
}

function checkEffect(
  tool: PlacedTool,
  step: StepPlan,
  byName: Map<string, PlacedTool>,
  report: Report,
): void {
  const needed = effectOf(step, byName);
  if (needed === "read" || needed === tool.plan.effect) return;
  // Such a tool is listed only where the config allows both.
  if (step.kind === "execute_command" && tool.plan.effect === "edit") return;
  report.add(
    "plan/bad-step",
    `The step \`${step.id}\` has the effect \`${needed}\`, the tool declares \`${tool.plan.effect}\`.`,
    `Set \`effect = "${needed}"\` on the tool.`,
  );
}

function effectOf(step: StepPlan, byName: Map<string, PlacedTool>): Effect {
  // A notification has no reply: it is sent for its effect on the server.
  if (step.kind === "execute_command" || step.kind === "notify") return "command";
  if (step.kind === "runtime") return actions[step.action].effect;
  if (step.kind === "tool") return byName.get(step.tool)?.plan.effect ?? "read";
  if (step.kind === "batch")
    return step.tools.flatMap((name) => byName.get(name)?.plan.effect ?? []).find(isStrong) ?? "read";
  return "read";
}

function isStrong(effect: Effect): boolean {
  return effect !== "read";
}

function reportCycles(byName: Map<string, PlacedTool>): void {
  const done = new Set<string>();
  const visit = (name: string, path: string[]): void => {
    const start = path.indexOf(name);
    if (start >= 0) {
      const cycle = quoted([...path.slice(start), name], " → ");
      byName.get(name)?.report.add("plan/tool-cycle", `The tools call each other: ${cycle}.`);
      return;
    }
    if (done.has(name)) return;
    for (const step of byName.get(name)?.plan.steps ?? [])
      if (step.kind === "tool") visit(step.tool, [...path, name]);
    done.add(name);
  };
  for (const name of byName.keys()) visit(name, []);
}

type BatchStep = Extract<StepPlan, { kind: "batch" }>;

/** Fills in the tools that each batch may call: listed tools that are not batches. */
export function resolveBatches(tools: readonly PlacedTool[], listed: readonly string[]): PlacedTool[] {
  const byName = new Map(tools.map((tool) => [tool.plan.name, tool]));
  return tools.map((tool) => {
    if (!tool.plan.steps.some(isBatch)) return tool;
    const { name } = tool.plan;
    const steps = tool.plan.steps.map((step, index) => {
      if (!isBatch(step)) return step;
      const report = tool.stepReport(index);
      const callable = callableTools(step, tool, byName, report.at("tools"));
      const names = callable.filter((called) => listed.includes(called));
      const message = `The batch \`${name}\` has no tool that it may call.`;
      if (names.length === 0 && listed.includes(name))
        report.add("plan/bad-step", message, "List a tool for it, or exclude the batch.");
      return { ...step, tools: names };
    });
    const names = sortedSet(steps.filter(isBatch).flatMap((step) => step.tools));
    const args = tool.plan.args.map((arg) => (arg.type === "operations" ? { ...arg, enum: names } : arg));
    return { ...tool, plan: { ...tool.plan, steps, args } };
  });
}

function callableTools(
  step: BatchStep,
  tool: PlacedTool,
  byName: ReadonlyMap<string, PlacedTool>,
  report: Report,
): string[] {
  const isAllowed = (effect: Effect) => effect === "read" || effect === tool.plan.effect;
  if (step.tools.length === 0)
    return [...byName.values()]
      .filter(({ plan }) => isAllowed(plan.effect) && !callsBatch(plan.name, byName))
      .map(({ plan }) => plan.name);
  for (const name of step.tools) {
    if (!byName.has(name)) report.unknown("plan/unknown-tool", "The tool", name, [...byName.keys()]);
    else if (callsBatch(name, byName))
      report.add("plan/tool-cycle", `A batch cannot call the batch \`${name}\`.`);
  }
  return step.tools.filter((name) => byName.has(name));
}

/** Whether a tool is a batch, or calls one. */
function callsBatch(
  name: string,
  byName: ReadonlyMap<string, PlacedTool>,
  seen: Set<string> = new Set(),
): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const steps = byName.get(name)?.plan.steps ?? [];
  return steps.some((step) => isBatch(step) || (step.kind === "tool" && callsBatch(step.tool, byName, seen)));
}

function isBatch(step: StepPlan): step is BatchStep {
  return step.kind === "batch";
}
