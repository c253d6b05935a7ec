/** Tools made of tools, and what effects they may have: no circles, no stronger effect hidden in a weaker tool. */
import type { DialectPlan, Effect, StepPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { toPointer } from "../base/pointer.js";
import { actions } from "../protocol/actions.js";
import { listingNames, pointingFields, pointingNames } from "../protocol/pointing.js";
import { misfit } from "./literal-arguments.js";
import type { Report } from "./report.js";
import type { PlacedTool } from "./tools.js";

/** Notes unknown callees, circles, arguments a callee does not take, and effects that a tool does not declare. */
export function checkWorkflows(tools: readonly PlacedTool[], dialect: DialectPlan, report: Report): void {
  const byName = new Map(tools.map((tool) => [tool.plan.name, tool]));
  for (const tool of tools) {
    tool.plan.steps.forEach((step, index) => {
      const pointer = tool.stepPointer(index);
      if (step.kind === "tool") checkCallee(tool, step, pointer, byName, dialect, report);
      checkEffect(tool, step, pointer, byName, report);
    });
  }
  reportCycles(byName, report);
}

function checkCallee(
  tool: PlacedTool,
  step: Extract<StepPlan, { kind: "tool" }>,
  pointer: string,
  byName: Map<string, PlacedTool>,
  dialect: DialectPlan,
  report: Report,
): void {
  const callee = byName.get(step.tool);
  if (!callee) {
    if (step.tool !== "")
      report.unknown("plan/unknown-tool", `${pointer}/tool`, "The tool", step.tool, [...byName.keys()]);
    return;
  }
  const takes = argumentNames(callee, dialect);
  const given = givenNames(tool, step, takes, dialect);
  const extra = given.filter((name) => !takes.includes(name));
  for (const [name, value] of literals(step)) {
    const why = misfit(name, value, callee.plan, dialect);
    if (why !== undefined)
      report.add(
        "plan/bad-step",
        `${pointer}/args${toPointer([name])}`,
        `\`${name}\` of \`${step.tool}\` ${why}.`,
        {
          fix: "Mend the value.",
        },
      );
  }
  const missing = requiredNames(callee, dialect).filter((name) => !given.includes(name));
  const list = (names: string[]) => names.map((name) => `\`${name}\``).join(", ");
  if (extra.length > 0)
    report.add("plan/bad-step", `${pointer}/args`, `The tool \`${step.tool}\` takes no ${list(extra)}.`, {
      fix: "Give the arguments one by one in a table.",
    });
  if (missing.length > 0)
    report.add("plan/bad-step", `${pointer}/args`, `The tool \`${step.tool}\` needs ${list(missing)}.`, {
      fix: "Add the arguments.",
    });
}

/** The names of the arguments that a tool step passes on. */
function givenNames(
  tool: PlacedTool,
  step: Extract<StepPlan, { kind: "tool" }>,
  takes: readonly string[],
  dialect: DialectPlan,
): string[] {
  const { args } = step;
  if (args.kind === "ref") {
    // How much of its own list a tool's caller wants is not passed on to a tool that has no such argument.
    const own = listingNames(tool.plan, dialect).filter((name) => !takes.includes(name));
    return argumentNames(tool, dialect).filter((name) => !own.includes(name));
  }
  if (args.kind === "table") return args.entries.map(([name]) => name);
  return args.kind === "literal" && isTable(args.value) ? Object.keys(args.value) : [];
}

/** The arguments whose values stand in the config. */
function literals({ args }: Extract<StepPlan, { kind: "tool" }>): [string, unknown][] {
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
    { fix: `Set \`effect = "${needed}"\` on the tool.` },
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

/** What a list of effects needs a tool to declare; two kinds beyond `read` fit into none. */
function strongest(effects: readonly Effect[]): Effect {
  return effects.find((effect) => effect !== "read") ?? "read";
}

function reportCycles(byName: Map<string, PlacedTool>, report: Report): void {
  const done = new Set<string>();
  const visit = (name: string, path: string[]): void => {
    const start = path.indexOf(name);
    if (start >= 0) {
      const circle = [...path.slice(start), name].map((part) => `\`${part}\``).join(" → ");
      report.add("plan/tool-cycle", byName.get(name)?.pointer ?? "", `The tools call each other: ${circle}.`);
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
