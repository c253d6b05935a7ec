/** Checks tools that call tools: no cycles, fitting arguments, and no effect that the calling tool does not declare. */
import type { DialectPlan, Effect, StepPlan, ToolPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { toPointer } from "../base/pointer.js";
import { actions } from "../protocol/actions.js";
import { listingFields, listingNames, pointingFields, pointingNames } from "../protocol/pointing.js";
import { type ValueBounds, violation } from "./arguments.js";
import type { Report } from "./report.js";
import type { PlacedTool } from "./tools.js";

export function checkWorkflows(tools: readonly PlacedTool[], dialect: DialectPlan, report: Report): void {
  const byName = new Map(tools.map((tool) => [tool.plan.name, tool]));
  for (const tool of tools) {
    tool.plan.steps.forEach((step, index) => {
      const pointer = tool.stepPointer(index);
      if (step.kind === "tool") {
        const callee = byName.get(step.tool);
        if (callee) checkArguments(tool, step, callee, { pointer, dialect, report });
        else if (step.tool !== "")
          report.unknown("plan/unknown-tool", `${pointer}/tool`, "The tool", step.tool, [...byName.keys()]);
      }
      checkEffect(tool, step, pointer, byName, report);
    });
  }
  reportCycles(byName, report);
}

type ToolStep = Extract<StepPlan, { kind: "tool" }>;

/** Checks the arguments that a step passes to the tool that it calls. */
function checkArguments(
  tool: PlacedTool,
  step: ToolStep,
  callee: PlacedTool,
  { pointer, dialect, report }: { pointer: string; dialect: DialectPlan; report: Report },
): void {
  const bad = (at: string, message: string, fix: string) => report.add("plan/bad-step", at, message, fix);
  for (const [name, value] of literals(step)) {
    const why = misfit(name, value, callee.plan, dialect);
    if (why !== undefined)
      bad(
        `${pointer}/args${toPointer([name])}`,
        `\`${name}\` of \`${step.tool}\` ${why}.`,
        "Correct the value.",
      );
  }
  const takes = argumentNames(callee, dialect);
  const given = givenNames(tool, step, takes, dialect);
  const extra = given.filter((name) => !takes.includes(name));
  const missing = requiredNames(callee, dialect).filter((name) => !given.includes(name));
  const list = (names: string[]) => names.map((name) => `\`${name}\``).join(", ");
  const at = `${pointer}/args`;
  if (extra.length > 0)
    bad(
      at,
      `The tool \`${step.tool}\` takes no ${list(extra)}.`,
      "Give the arguments one by one in a table.",
    );
  if (missing.length > 0) bad(at, `The tool \`${step.tool}\` needs ${list(missing)}.`, "Add the arguments.");
}

/** The names of the arguments that a tool step passes. */
function givenNames(
  tool: PlacedTool,
  { args }: ToolStep,
  takes: readonly string[],
  dialect: DialectPlan,
): string[] {
  if (args.kind === "ref") {
    // Paging arguments are not passed to a tool that has none.
    const own = listingNames(tool.plan, dialect).filter((name) => !takes.includes(name));
    return argumentNames(tool, dialect).filter((name) => !own.includes(name));
  }
  if (args.kind === "table") return args.entries.map(([name]) => name);
  return args.kind === "literal" && isTable(args.value) ? Object.keys(args.value) : [];
}

/** The arguments with literal values. */
function literals({ args }: ToolStep): [string, unknown][] {
  if (args.kind === "table")
    return args.entries.flatMap(([name, value]) => (value.kind === "literal" ? [[name, value.value]] : []));
  return args.kind === "literal" && isTable(args.value) ? Object.entries(args.value) : [];
}

function argumentNames({ plan }: PlacedTool, dialect: DialectPlan): string[] {
  return [
    ...Object.values(pointingNames(plan.input, dialect)),
    ...listingNames(plan, dialect),
    ...plan.args.map((arg) => arg.name),
  ];
}

function requiredNames({ plan }: PlacedTool, dialect: DialectPlan): string[] {
  const own = plan.args.filter((arg) => arg.required).map((arg) => arg.name);
  return [...pointingFields(plan.input, dialect).required, ...own];
}

function checkEffect(
  tool: PlacedTool,
  step: StepPlan,
  pointer: string,
  byName: Map<string, PlacedTool>,
  report: Report,
): void {
  const needed = effectOf(step, byName);
  if (needed === "read" || needed === tool.plan.effect) return;
  report.add(
    "plan/bad-step",
    pointer,
    `The step \`${step.id}\` has the effect \`${needed}\`, the tool declares \`${tool.plan.effect}\`.`,
    `Set \`effect = "${needed}"\` on the tool.`,
  );
}

function effectOf(step: StepPlan, byName: Map<string, PlacedTool>): Effect {
  if (step.kind === "execute_command") return "command";
  if (step.kind === "runtime") return actions[step.action].effect;
  if (step.kind === "tool") return byName.get(step.tool)?.plan.effect ?? "read";
  if (step.kind === "batch")
    return strongest(step.tools.map((name) => byName.get(name)?.plan.effect ?? "read"));
  return "read";
}

/** The effect that a tool must declare to have all of these. */
function strongest(effects: readonly Effect[]): Effect {
  return effects.find((effect) => effect !== "read") ?? "read";
}

function reportCycles(byName: Map<string, PlacedTool>, report: Report): void {
  const done = new Set<string>();
  const visit = (name: string, path: string[]): void => {
    const start = path.indexOf(name);
    if (start >= 0) {
      const cycle = [...path.slice(start), name].map((part) => `\`${part}\``).join(" → ");
      report.add("plan/tool-cycle", byName.get(name)?.pointer ?? "", `The tools call each other: ${cycle}.`);
      return;
    }
    if (done.has(name)) return;
    for (const callee of callees(byName.get(name))) visit(callee, [...path, name]);
    done.add(name);
  };
  for (const name of byName.keys()) visit(name, []);
}

function callees(tool: PlacedTool | undefined): string[] {
  return tool?.plan.steps.flatMap((step) => (step.kind === "tool" ? [step.tool] : [])) ?? [];
}

/** Why the called tool does not accept a literal value; undefined if it does, or only the call can tell. */
function misfit(name: string, value: unknown, callee: ToolPlan, dialect: DialectPlan): string | undefined {
  // A null argument counts as absent.
  if (value === null) return undefined;
  const arg = callee.args.find((candidate) => candidate.name === name);
  if (arg) return violation(value, arg.beyond === "clamp" ? { ...arg, minimum: null, maximum: null } : arg);
  const { properties } = pointingFields(callee.input, dialect);
  const schema = { ...properties, ...listingFields(callee, dialect).properties }[name];
  return isTable(schema) ? violation(value, schema as Partial<ValueBounds>) : undefined;
}
