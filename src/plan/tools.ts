/** Tool tables of the config → ToolPlans, sorted by name. Each is checked on its own. */
import type { Anchor, DialectPlan, LimitsPlan, OutputPlan, StepPlan, ToolPlan } from "../abi/plan.js";
import { sortBy, sortedSet } from "../base/order.js";
import { toPointer } from "../base/pointer.js";
import type { Config, StepConfig, ToolConfig } from "../config/schema.js";
import { anchorNames } from "../protocol/anchors.js";
import { listingNames, pointingNames } from "../protocol/pointing.js";
import { shapes } from "../protocol/shapes.js";
import { buildArgs } from "./arguments.js";
import { defaultPage } from "./defaults.js";
import { addImplicitArguments, implicitNames } from "./implicit-arguments.js";
import { buildOutput } from "./outputs.js";
import type { Report } from "./report.js";
import type { PlacedServer } from "./servers.js";
import { buildSteps, checkDiagnostics } from "./steps.js";

/** A tool and the pointer of its table, for problems that are found later. */
export interface PlacedTool {
  plan: ToolPlan;
  pointer: string;
  /** The pointer of a step. */
  stepPointer(index: number): string;
}

export interface ToolContext {
  config: Config;
  servers: readonly PlacedServer[];
  dialect: DialectPlan;
  limits: LimitsPlan;
  origin(pointer: string): string;
  report: Report;
}

/** The tools, sorted by name. */
export function buildTools(context: ToolContext): PlacedTool[] {
  const placed = (context.config.tools ?? []).map((tool, index) => {
    const pointer = toPointer(["tools", index]);
    // The short form `request` is not in a list of steps.
    const stepPointer = (at: number) => (tool.steps ? `${pointer}/steps/${at}` : `${pointer}/request`);
    return {
      plan: buildTool(tool, pointer, stepPointer, context),
      pointer,
      stepPointer,
    };
  });
  return sortBy(placed, ({ plan }) => [plan.name]);
}

function buildTool(
  tool: ToolConfig,
  pointer: string,
  stepPointer: PlacedTool["stepPointer"],
  context: ToolContext,
): ToolPlan {
  const { config, dialect, limits, report } = context;
  const input = buildInput(tool, pointer, report);
  const pointing = pointingNames(input, dialect);
  const stepConfigs = stepsOf(tool, pointer, report);
  const inputs = [
    ...Object.keys(pointing),
    ...Object.keys(tool.args ?? {}),
    ...implicitNames(tool, stepConfigs),
  ];
  const steps = buildSteps(stepConfigs, stepPointer, { config, input, inputs, report });
  const output = buildOutput(tool, pointer, steps, { config, inputs, report });
  const maxItems = Math.min(tool.max_items ?? limits.maxItems, limits.maxItems);
  const page = buildPage(tool, output, maxItems, pointer, report);
  const taken = [...Object.values(pointing), ...listingNames({ page, output }, dialect)];
  const servers = serversOf(tool, steps, pointer, context);
  const args = buildArgs(tool.args, `${pointer}/args`, taken, report);
  checkName(tool, pointer, report);
  checkDiagnostics(steps, input, output.shape, stepPointer, report);
  return {
    name: tool.name,
    title: titleOf(tool),
    description: tool.description ?? `${titleOf(tool)}.`,
    effect: tool.effect ?? "read",
    servers,
    input,
    require: buildRequire(tool, Object.values(pointing), pointer, report),
    args: addImplicitArguments(args, { steps, servers, output }, stepPointer, context),
    steps,
    output,
    text: tool.text ?? null,
    empty: tool.empty ?? null,
    maxItems,
    defaultItems: buildDefaultItems(tool, page, maxItems),
    maxBytes: Math.min(tool.max_bytes ?? limits.maxBytes, limits.maxBytes),
    timeoutMs: Math.min(tool.timeout_ms ?? limits.timeoutMs, limits.timeoutMs),
    page,
    source: {
      file: context.origin(pointer),
      pointer: toPointer(["tools", tool.name]),
    },
  };
}

function buildInput(tool: ToolConfig, pointer: string, report: Report): Anchor[] {
  const given = tool.input === undefined ? ["workspace"] : [tool.input].flat();
  const isKnown = (name: string): name is Anchor => (anchorNames as readonly string[]).includes(name);
  given.forEach((name, index) => {
    const at = Array.isArray(tool.input) ? `${pointer}/input/${index}` : `${pointer}/input`;
    if (!isKnown(name)) report.unknown("plan/unknown-anchor", at, "The input", name, anchorNames);
  });
  return sortedSet(given).filter(isKnown);
}

function buildRequire(tool: ToolConfig, known: string[], pointer: string, report: Report): string[] {
  const given = tool.require ?? [];
  report.checkNames("plan/bad-tool", `${pointer}/require`, "The pointing argument", given, known);
  return sortedSet(given);
}

function stepsOf(tool: ToolConfig, pointer: string, report: Report): StepConfig[] {
  if ((tool.request === undefined) === (tool.steps === undefined)) {
    const which = tool.request ? "both `request` and `steps`" : "neither `request` nor `steps`";
    report.add(
      "plan/bad-tool",
      pointer,
      `The tool \`${tool.name}\` has ${which}.`,
      "Give exactly one of `request` and `steps`.",
    );
  }
  if (tool.steps) {
    for (const key of ["retry_empty", "expect", "merge"] as const)
      if (tool[key] !== undefined)
        report.add(
          "plan/bad-tool",
          `${pointer}/${key}`,
          `\`${key}\` cannot be combined with \`steps\`.`,
          "Move it into the step that it belongs to.",
        );
    return tool.steps;
  }
  if (!tool.request) return [];
  const { retry_empty, expect, merge } = tool;
  return [{ id: "result", ...tool.request, retry_empty, expect, merge }];
}

function buildPage(
  tool: ToolConfig,
  output: OutputPlan,
  maxItems: number,
  pointer: string,
  report: Report,
): ToolPlan["page"] {
  if (tool.page !== true) return null;
  const named = typeof tool.output === "object" ? tool.output.shape : tool.output;
  // An unknown shape was already reported, and `output.shape` only replaces it.
  if (named !== undefined && named !== output.shape) return null;
  if (!shapes[output.shape].counted) {
    report.add(
      "plan/bad-tool",
      `${pointer}/page`,
      `The shape \`${output.shape}\` has no pages.`,
      "Remove `page`.",
    );
    return null;
  }
  const maxSize = Math.min(defaultPage.maxSize, maxItems);
  return { defaultSize: Math.min(tool.default_items ?? defaultPage.size, maxSize), maxSize };
}

function buildDefaultItems(tool: ToolConfig, page: ToolPlan["page"], maxItems: number): number | null {
  // For a tool with pages it is the page size.
  if (tool.default_items === undefined || page !== null) return null;
  return Math.min(tool.default_items, maxItems);
}

/** The servers that a tool may ask: those it names and that have its custom methods. */
function serversOf(
  tool: ToolConfig,
  steps: readonly StepPlan[],
  pointer: string,
  { config, servers, report }: ToolContext,
): string[] | null {
  const known = (config.servers ?? []).map((server) => server.id);
  const running = servers.map(({ plan }) => plan.id);
  report.checkNames("plan/unknown-server", `${pointer}/servers`, "The server", tool.servers ?? [], known);
  let able = tool.servers ? sortedSet(tool.servers) : null;
  for (const step of steps) {
    const declared =
      step.kind === "request" && config.methods?.find((entry) => entry.method === step.method)?.servers;
    if (!declared) continue;
    const before: string[] = able ?? declared;
    able = sortedSet(before.filter((id) => declared.includes(id)));
    if (able.length === 0 && before.length > 0)
      report.add(
        "plan/bad-tool",
        pointer,
        `No server of the tool \`${tool.name}\` has the method \`${step.method}\`.`,
        "Name a server of that method in the tool's `servers`.",
      );
  }
  return able?.filter((id) => running.includes(id)) ?? null;
}

function checkName(tool: ToolConfig, pointer: string, report: Report): void {
  if (tool.name.length > 40)
    report.add(
      "plan/name-too-long",
      `${pointer}/name`,
      `The tool name \`${tool.name}\` has ${tool.name.length} characters.`,
    );
}

function titleOf(tool: ToolConfig): string {
  const words = tool.name.replaceAll(/[_.-]+/g, " ").trim();
  return tool.title ?? words.charAt(0).toUpperCase() + words.slice(1);
}
