/** Batches: steps that call several tools. A batch calls no other batch, and has only the effect that its tool declares. */
import type { Effect, StepPlan } from "../abi/plan.js";
import { sortedSet } from "../base/order.js";
import type { Report } from "./report.js";
import type { PlacedTool } from "./tools.js";

type BatchStep = Extract<StepPlan, { kind: "batch" }>;

/** Fills in the tools that each batch may call: listed tools that are not batches. */
export function resolveBatches(
  tools: readonly PlacedTool[],
  listed: readonly string[],
  report: Report,
): PlacedTool[] {
  const byName = new Map(tools.map((tool) => [tool.plan.name, tool]));
  return tools.map((tool) => {
    if (!tool.plan.steps.some(isBatch)) return tool;
    const { name } = tool.plan;
    const steps = tool.plan.steps.map((step, index) => {
      if (!isBatch(step)) return step;
      const pointer = tool.stepPointer(index);
      const names = callableTools(step, tool, pointer, byName, report).filter((called) =>
        listed.includes(called),
      );
      if (names.length === 0 && listed.includes(name))
        report.add(
          "plan/bad-step",
          pointer,
          `The batch \`${name}\` has no tool that it may call.`,
          "List a tool for it, or exclude the batch.",
        );
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
  pointer: string,
  byName: ReadonlyMap<string, PlacedTool>,
  report: Report,
): string[] {
  const isAllowed = (effect: Effect) => effect === "read" || effect === tool.plan.effect;
  if (step.tools.length === 0)
    return [...byName.values()]
      .filter(({ plan }) => isAllowed(plan.effect) && !callsBatch(plan.name, byName))
      .map(({ plan }) => plan.name);
  for (const name of step.tools) {
    if (!byName.has(name))
      report.unknown("plan/unknown-tool", `${pointer}/tools`, "The tool", name, [...byName.keys()]);
    else if (callsBatch(name, byName))
      report.add("plan/tool-cycle", `${pointer}/tools`, `A batch cannot call the batch \`${name}\`.`);
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
