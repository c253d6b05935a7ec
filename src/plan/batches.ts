/**
 * Batches: a step that calls several tools in one go. It brings its own arguments, calls no batch, and has no effect
 * that its tool does not declare.
 */
import type { ArgPlan, Effect, StepPlan } from "../abi/plan.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { StepConfig } from "../config/schema.js";
import { mostOperations } from "./defaults.js";
import type { Report } from "./report.js";
import type { PlacedTool } from "./tools.js";

type BatchStep = Extract<StepPlan, { kind: "batch" }>;

/** The arguments that a batch brings and that so exist without being declared. */
export function batchArguments(steps: readonly StepConfig[]): string[] {
  return steps
    .filter((step) => step.kind === "batch")
    .flatMap(({ options }) => argumentsOf(options ?? null).map(({ name }) => name));
}

/** The arguments with those of a batch, where a step is one; the tools it may call are filled in later. */
export function addOperations(args: readonly ArgPlan[], steps: readonly StepPlan[]): ArgPlan[] {
  const batch = steps.find(isBatch);
  if (batch === undefined) return [...args];
  const own = argumentsOf(batch.options).filter(({ name }) => !args.some((arg) => arg.name === name));
  return sortBy([...args, ...own], (arg) => [arg.name]);
}

/** The tools with every batch knowing what it may call: of those that are listed, never a batch. */
export function resolveBatches(
  tools: readonly PlacedTool[],
  listed: readonly string[],
  report: Report,
): PlacedTool[] {
  const byName = new Map(tools.map((tool) => [tool.plan.name, tool]));
  return tools.map((tool) => {
    if (!tool.plan.steps.some(isBatch)) return tool;
    const steps = tool.plan.steps.map((step, index) => {
      if (!isBatch(step)) return step;
      const pointer = tool.stepPointer(index);
      const names = callable(step, tool, pointer, byName, report).filter((name) => listed.includes(name));
      if (names.length === 0 && listed.includes(tool.plan.name))
        report.add(
          "plan/bad-step",
          pointer,
          `The batch \`${tool.plan.name}\` has no tool that it may call.`,
          {
            fix: "List a tool for it, or exclude the batch.",
          },
        );
      return { ...step, tools: names };
    });
    const names = sortedSet(steps.filter(isBatch).flatMap((step) => step.tools));
    const args = tool.plan.args.map((arg) => (arg.type === "operations" ? { ...arg, enum: names } : arg));
    return { ...tool, plan: { ...tool.plan, steps, args } };
  });
}

function callable(
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

/** Whether a tool is a batch, or is made of one. */
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

const plain = {
  enum: null,
  beyond: "refuse" as const,
  minLength: null,
  maxLength: null,
  minimum: null,
  maximum: null,
};

const operations: ArgPlan = {
  ...plain,
  name: "operations",
  type: "operations",
  description: `The calls, 1 to ${mostOperations}.`,
  required: true,
  default: null,
  minimum: 1,
  maximum: mostOperations,
};

/** What a batch takes: its operations, and how they are run, in two arguments or in one table of that name. */
function argumentsOf(options: string | null): readonly ArgPlan[] {
  if (options === null) return [operations, ...switches];
  const description = "How the operations are run.";
  return [
    operations,
    { ...plain, name: options, type: "batch_options", description, required: false, default: null },
  ];
}

const switches: readonly ArgPlan[] = [
  {
    ...plain,
    name: "parallel",
    type: "boolean",
    description: "Side by side instead of one after the other; default false.",
    required: false,
    default: false,
  },
  {
    ...plain,
    name: "stop_on_error",
    type: "boolean",
    description: "Skips what has not begun when one fails; default true.",
    required: false,
    default: true,
  },
];
