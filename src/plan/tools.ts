/** Tool tables of the config → ToolPlans, sorted by name. Each is checked on its own. */
import type {
  Anchor,
  DialectPlan,
  Effect,
  LimitsPlan,
  OutputPlan,
  StepPlan,
  ToolAnnotations,
  ToolPlan,
} from "../abi/plan.js";
import { toPointer } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { Config, StepConfig, ToolConfig } from "../config/schema.js";
import { anchorNames } from "../protocol/anchors.js";
import { listingNames, pointingNames } from "../protocol/pointing.js";
import { shapes } from "../protocol/shapes.js";
import { referenceNames } from "./argument-forms.js";
import { addImplicitArguments, buildArgs, implicitNames } from "./arguments.js";
import { checkConditions } from "./condition-types.js";
import { defaultPage, noAnnotations, withDefaults } from "./defaults.js";
import { buildOutput } from "./outputs.js";
import type { Report } from "./report.js";
import { knownServers, type PlacedServer, serverIds } from "./servers.js";
import { buildSteps, checkDiagnostics } from "./steps.js";
import { buildEffects } from "./surface.js";
import { buildPointing, buildTarget } from "./targets.js";
import { checkPlaces } from "./uri-parameters.js";

/** A tool and the reports of its table and its steps, for problems that are found later. */
export interface PlacedTool {
  plan: ToolPlan;
  report: Report;
  stepReport(index: number): Report;
}

interface ToolContext {
  config: Config;
  servers: readonly PlacedServer[];
  dialect: DialectPlan;
  limits: LimitsPlan;
  origin(pointer: string): string;
  /** The report of the whole config. */
  report: Report;
}

/** The tools, sorted by name. */
export function buildTools(context: ToolContext): PlacedTool[] {
  const placed = (context.config.tools ?? []).map((tool, index) => {
    const report = context.report.at("tools", index);
    // The short form `request` is not in a list of steps.
    const stepReport = (at: number) => (tool.steps ? report.at("steps", at) : report.at("request"));
    return { plan: buildTool(tool, context, report, stepReport), report, stepReport };
  });
  return sortBy(placed, ({ plan }) => [plan.name]);
}

function buildTool(
  tool: ToolConfig,
  context: ToolContext,
  report: Report,
  stepReport: PlacedTool["stepReport"],
): ToolPlan {
  const { config, dialect, limits } = context;
  const input = buildInput(tool, report.at("input"));
  const pointing = pointingNames(input, dialect);
  const stepConfigs = stepsOf(tool, report);
  const inputs = [
    ...Object.keys(pointing),
    ...referenceNames(tool.args),
    ...implicitNames(tool, stepConfigs),
  ];
  const { target, anchors } = buildTarget(tool, input, report);
  const steps = buildSteps(stepConfigs, { config, input: anchors, inputs }, stepReport);
  const output = buildOutput(tool, steps, { config, inputs }, report);
  const maxItems = Math.min(tool.max_items ?? limits.maxItems, limits.maxItems);
  const page = buildPage(tool, output, maxItems, report);
  const taken = [...Object.values(pointing), ...listingNames({ page, output }, dialect)];
  const servers = serversOf(tool, steps, context, report);
  const serverArgument = buildServerArgument(tool, report.at("server"));
  const ownPointing = buildPointing(tool, Object.values(pointing), taken, report.at("pointing"));
  const renamed = Object.values(ownPointing).flatMap(({ name }) => name ?? []);
  const declared = buildArgs(tool.args, [...taken, ...renamed], report.at("args"));
  const own = declared.map((arg) =>
    arg.name === serverArgument ? { ...arg, enum: arg.enum ?? serverNames(servers, context) } : arg,
  );
  const args = addImplicitArguments(own, { steps, servers, output }, context.servers, stepReport);
  const commandUris = stepConfigs.map(({ uris }) => uris);
  checkPlaces(steps, { config, args, pointing: Object.keys(pointing), commandUris }, stepReport);
  checkConditions(steps, args, stepReport);
  const tooLong = `The tool name \`${tool.name}\` has ${tool.name.length} characters.`;
  if (tool.name.length > 40) report.at("name").add("plan/name-too-long", tooLong);
  checkDiagnostics(steps, anchors, output.shape, stepReport);
  const effect = effectOf(tool, steps, config);
  return {
    name: tool.name,
    title: titleOf(tool),
    description: tool.description ?? `${titleOf(tool)}.`,
    effect,
    annotations: buildAnnotations(tool.annotations, effect, report.at("annotations")),
    servers,
    serverArgument,
    input,
    require: buildRequire(tool, Object.values(pointing), report.at("require")),
    pointing: ownPointing,
    target,
    args,
    steps,
    output,
    text: tool.text ?? null,
    empty: tool.empty ?? null,
    maxItems,
    ...(tool.refuse_past === undefined ? {} : { refusePast: tool.refuse_past }),
    defaultItems: buildDefaultItems(tool, page, maxItems),
    maxBytes: Math.min(tool.max_bytes ?? limits.maxBytes, limits.maxBytes),
    timeoutMs: Math.min(tool.timeout_ms ?? limits.timeoutMs, limits.timeoutMs),
    page,
    source: { file: context.origin(report.pointer), pointer: toPointer(["tools", tool.name]) },
  };
}

/** A batch that may edit has that effect only where the config allows it: otherwise it is listed without the edits. */
function effectOf({ effect = "read" }: ToolConfig, steps: readonly StepPlan[], config: Config): Effect {
  const mayEdit = steps.some((step) => step.kind === "batch" && step.edits);
  return mayEdit && buildEffects(config).includes("edit") ? "edit" : effect;
}

/**
 * Clients call a tool that only reads without asking, so a tool that edits cannot claim it. A tool that runs a command
 * can: some commands only read, and only the author of the config knows which.
 */
function buildAnnotations(given: ToolConfig["annotations"], effect: Effect, report: Report): ToolAnnotations {
  const plan = withDefaults<ToolAnnotations>(noAnnotations, given);
  const message = "A tool with the effect `edit` is not read-only.";
  if (effect === "edit" && plan.readOnly) report.at("read_only").add("plan/bad-tool", message, "Remove it.");
  if (plan.readOnly === true && plan.destructive === true)
    report
      .at("destructive")
      .add("plan/bad-tool", "A read-only tool destroys nothing.", "Remove one of them.");
  return plan;
}

function buildInput(tool: ToolConfig, report: Report): Anchor[] {
  const given = tool.input === undefined ? ["workspace"] : [tool.input].flat();
  const isKnown = (name: string): name is Anchor => (anchorNames as readonly string[]).includes(name);
  given.forEach((name, index) => {
    const at = Array.isArray(tool.input) ? report.at(index) : report;
    if (!isKnown(name)) at.unknown("plan/unknown-anchor", "The input", name, anchorNames);
  });
  return sortedSet(given).filter(isKnown);
}

function buildRequire({ require: given = [] }: ToolConfig, known: string[], report: Report): string[] {
  report.checkNames("plan/bad-tool", "The pointing argument", given, known);
  return sortedSet(given);
}

function stepsOf(tool: ToolConfig, report: Report): StepConfig[] {
  if ((tool.request === undefined) === (tool.steps === undefined)) {
    const which = tool.request ? "both `request` and `steps`" : "neither `request` nor `steps`";
    const fix = "Give exactly one of `request` and `steps`.";
    report.add("plan/bad-tool", `The tool \`${tool.name}\` has ${which}.`, fix);
  }
  const { retry_empty, expect, merge } = tool;
  if (tool.steps) {
    for (const [key, value] of Object.entries({ retry_empty, expect, merge })) {
      const message = `\`${key}\` cannot be combined with \`steps\`.`;
      const fix = "Move it into the step that it belongs to.";
      if (value !== undefined) report.at(key).add("plan/bad-tool", message, fix);
    }
    return tool.steps;
  }
  return tool.request ? [{ id: "result", ...tool.request, retry_empty, expect, merge }] : [];
}

function buildPage(tool: ToolConfig, output: OutputPlan, maxItems: number, report: Report): ToolPlan["page"] {
  if (tool.page !== true) return null;
  const named = typeof tool.output === "object" ? tool.output.shape : tool.output;
  // An unknown shape was already reported, and `output.shape` only replaces it.
  if (named !== undefined && named !== output.shape) return null;
  if (!shapes[output.shape].counted) {
    report.at("page").add("plan/bad-tool", `The shape \`${output.shape}\` has no pages.`, "Remove `page`.");
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
  context: ToolContext,
  report: Report,
): string[] | null {
  const { config, servers } = context;
  const running = servers.map(({ plan }) => plan.id);
  // A shipped tool may be for a server that this config does not have; it is not listed then.
  if (context.origin(report.at("servers").pointer) === "config")
    report
      .at("servers")
      .checkNames("plan/unknown-server", "The server", tool.servers ?? [], knownServers(config));
  let able = tool.servers ? serverIds(tool.servers, config) : null;
  for (const step of steps) {
    const isAlways =
      step.when === null && step.orElse === null && steps.every(({ orElse }) => orElse !== step.id);
    const isSent = (step.kind === "request" || step.kind === "notify") && isAlways;
    const named = isSent && config.methods?.find((entry) => entry.method === step.method)?.servers;
    if (!named) continue;
    const declared = serverIds(named, config);
    const before: string[] = able ?? declared;
    able = sortedSet(before.filter((id) => declared.includes(id)));
    if (able.length === 0 && before.length > 0)
      report.add(
        "plan/bad-tool",
        `No server of the tool \`${tool.name}\` has the method \`${step.method}\`.`,
        "Name a server of that method in the tool's `servers`.",
      );
  }
  return able?.filter((id) => running.includes(id)) ?? null;
}

/** The argument by which a call chooses the server: one of the tool's own, a text. */
function buildServerArgument({ server, args = {} }: ToolConfig, report: Report): string | null {
  if (server === undefined) return null;
  const name = server.from.startsWith("input.") ? server.from.slice("input.".length) : "";
  if (Object.hasOwn(args, name) && args[name]?.type === "string") return name;
  const fix = 'Declare `args.NAME = { type = "string", … }` and write `{ from = "input.NAME" }`.';
  report.at("from").add("plan/bad-reference", "The server is chosen by an argument that is a text.", fix);
  return null;
}

function serverNames(able: readonly string[] | null, { servers }: ToolContext): string[] {
  return able?.slice() ?? sortedSet(servers.map(({ plan }) => plan.id));
}

function titleOf(tool: ToolConfig): string {
  const words = tool.name.replaceAll(/[_.-]+/g, " ").trim();
  return tool.title ?? words.charAt(0).toUpperCase() + words.slice(1);
}
