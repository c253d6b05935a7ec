/** A tool's `output` → OutputPlan: the shape must exist and the last step must be able to fill it. */
import type { OutputPlan, ShapeName, StepPlan, Template } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { Config, ToolConfig } from "../config/schema.js";
import { actions } from "../protocol/actions.js";
import { ofMethods, shapesOf } from "../protocol/method-shapes.js";
import { shapeNames, shapes } from "../protocol/shapes.js";
import { defaultSnippet } from "./defaults.js";
import { checkMembers } from "./output-members.js";
import { buildTemplate, type Scope } from "./references.js";
import type { Report } from "./report.js";
import { canonicalSchema } from "./result-schema.js";

type Given = Partial<Exclude<NonNullable<ToolConfig["output"]>, string>> & { shape: string };

/** What an output is built in. */
export interface OutputContext {
  config: Config;
  /** Names that `input.X` may use. */
  inputs: readonly string[];
  report: Report;
}

/** The output of one tool with these steps. */
export function buildOutput(
  tool: ToolConfig,
  pointer: string,
  steps: readonly StepPlan[],
  context: OutputContext,
): OutputPlan {
  const { config, report } = context;
  const given: Given =
    typeof tool.output === "string" ? { shape: tool.output } : (tool.output ?? { shape: "json" });
  const at = typeof tool.output === "object" ? `${pointer}/output/shape` : `${pointer}/output`;
  const shape = knownShape(given.shape, at, report);
  const output: OutputPlan = {
    shape,
    at: given.at ?? "",
    language: given.language ?? null,
    apply: given.apply ?? "never",
    backups: buildBackups(given, `${pointer}/output/backups`, context),
    schema: null,
    list: given.list ?? null,
    count: given.count ?? null,
    symbols:
      given.symbols === undefined ? null : { list: given.symbols.list, count: given.symbols.count ?? null },
    ids: given.ids ?? false,
    marked: given.marked ?? false,
    outcomes: given.outcomes ?? "word",
    ...buildBounds(given, shape, `${pointer}/output`, context),
    gather: [],
  };
  if (shape === "json" && output.at === "") {
    output.gather = gathered(steps);
    if (output.gather.length === 0) output.schema = resultSchema(steps, config);
  }
  checkFit(output, steps, at, report);
  checkMembers(output, tool, at, report);
  checkEdit(output, tool, steps, at, report);
  return output;
}

type Bound = (value: unknown, kind: "boolean" | "number" | "string", at: string) => Template;

/** Reads a value that a tool sets, or leaves to an argument of its own. */
function bounds({ inputs, report }: OutputContext): Bound {
  const scope: Scope = { inputs, steps: [], each: false, document: false };
  return (value, kind, at) => {
    const built = buildTemplate(value, at, scope, report);
    const isArgument = built.kind === "ref" && built.ref.root === "input" && built.ref.name !== null;
    if (!isArgument && !(built.kind === "literal" && typeof built.value === kind))
      report.add("plan/bad-tool", at, `This is neither a ${kind} nor an argument.`, {
        fix: 'Write the value, or `{ from = "input.NAME" }`.',
      });
    return built;
  };
}

/** Whether copies of edited files are made, and what they are called. */
function buildBackups({ backups }: Given, pointer: string, context: OutputContext): OutputPlan["backups"] {
  if (backups === undefined) return null;
  const bound = bounds(context);
  return {
    create: bound(backups.create ?? true, "boolean", `${pointer}/create`),
    suffix: bound(backups.suffix ?? ".bak", "string", `${pointer}/suffix`),
  };
}

/** Bounds that a tool sets, or leaves to an argument of its own. */
function buildBounds(
  { snippet = {}, max_chars: maxChars }: Given,
  shape: ShapeName,
  pointer: string,
  context: OutputContext,
): Pick<OutputPlan, "snippet" | "maxChars"> {
  const bound = bounds(context);
  return {
    snippet: {
      show: bound(snippet.show ?? shape === "locations", "boolean", `${pointer}/snippet/show`),
      contextLines: bound(
        snippet.context_lines ?? defaultSnippet.contextLines,
        "number",
        `${pointer}/snippet/context_lines`,
      ),
      maxChars: bound(snippet.max_chars ?? defaultSnippet.maxChars, "number", `${pointer}/snippet/max_chars`),
    },
    maxChars: maxChars === undefined ? null : bound(maxChars, "number", `${pointer}/max_chars`),
  };
}

function knownShape(name: string, pointer: string, report: Report): ShapeName {
  if (Object.hasOwn(shapes, name)) return name as ShapeName;
  report.unknown("plan/unknown-shape", pointer, "The output shape", name, shapeNames);
  return "json";
}

/** A workflow of several tools answers with all of their answers. */
function gathered(steps: readonly StepPlan[]): string[] {
  return steps.length > 1 && steps.every((step) => step.kind === "tool") ? steps.map((step) => step.id) : [];
}

/** The declared schema of a custom method's result, when that result is the whole answer. */
function resultSchema(steps: readonly StepPlan[], config: Config): JsonObject | null {
  const last = steps.at(-1);
  if (last?.kind !== "request" || last.each !== null || last.merge === "all") return null;
  const declared = config.methods?.find((entry) => entry.method === last.method);
  return canonicalSchema(declared?.result);
}

function checkFit(output: OutputPlan, steps: readonly StepPlan[], pointer: string, report: Report): void {
  const last = steps.at(-1);
  if (!last) return;
  const bad = (message: string) =>
    report.add("plan/bad-tool", pointer, message, {
      fix: "Choose another shape, or end with another step.",
    });
  const gives = last.kind === "runtime" ? actions[last.action].gives : undefined;
  const tellsServers = gives === "servers";
  if (output.shape === "server_status" && !tellsServers)
    bad("The shape `server_status` needs a runtime step that tells of servers at the end.");
  const tellsDiagnostics = output.shape === "diagnostics" || output.shape === "workspace_diagnostics";
  if (tellsDiagnostics && last.kind !== "diagnostics")
    bad(`The shape \`${output.shape}\` needs a step of kind \`diagnostics\` at the end.`);
  if (last.kind === "diagnostics" && !tellsDiagnostics && output.shape !== "json")
    bad(`A step of kind \`diagnostics\` does not give the shape \`${output.shape}\`.`);
  const isValue = output.shape === "json" || output.shape === "text";
  if ((last.kind === "tool" || gives === "value") && !isValue)
    bad(`The last step gives a value, not the shape \`${output.shape}\`.`);
  checkMethod(output.shape, last, bad);
  if (output.at !== "" && !isValue)
    report.add("plan/bad-tool", pointer, "`at` is for the shapes `text` and `json`.", {
      fix: "Remove `at`.",
    });
  if (output.ids && !shapes[output.shape]?.counted)
    report.add("plan/bad-tool", pointer, `The shape \`${output.shape}\` has no items with ids.`, {
      fix: "Remove `ids`.",
    });
  if (output.outcomes !== "word" && output.shape !== "batch")
    report.add("plan/bad-tool", pointer, "`outcomes` is for the shape `batch`.", {
      fix: "Remove `outcomes`.",
    });
  if (output.marked && output.shape !== "hover")
    report.add("plan/bad-tool", pointer, "`marked` is for the shape `hover`.", { fix: "Remove `marked`." });
  if (output.shape === "batch" && last.kind !== "batch")
    bad("The shape `batch` needs a step of kind `batch` at the end.");
  if (output.language !== null && output.shape !== "text")
    report.add("plan/bad-tool", pointer, "`language` is for the shape `text`.", {
      fix: "Remove `language`.",
    });
}

/** A method of the protocol fills the shapes that its result is for; shapes that need a step of their own are told of elsewhere. */
function checkMethod(shape: ShapeName, last: StepPlan, bad: (message: string) => void): void {
  const filled = last.kind === "request" ? shapesOf(last.method) : undefined;
  if (last.kind !== "request" || filled === undefined || !ofMethods.has(shape) || filled.includes(shape))
    return;
  const names = filled.map((name) => `\`${name}\``).join(" or ");
  bad(`The method \`${last.method}\` does not give the shape \`${shape}\`, but ${names}.`);
}

/** An edit is shaped as one, by a tool that says so; and only an edit can be applied. */
function checkEdit(
  output: OutputPlan,
  tool: ToolConfig,
  steps: readonly StepPlan[],
  pointer: string,
  report: Report,
): void {
  const bad = (message: string, fix: string) => report.add("plan/bad-tool", pointer, message, { fix });
  const isEdit = output.shape === "workspace_edit" || output.shape === "text_edits";
  const last = steps.at(-1);
  if (isEdit && tool.effect !== "edit")
    bad(`The shape \`${output.shape}\` needs a tool with the effect \`edit\`.`, 'Set `effect = "edit"`.');
  if (!isEdit && (output.apply !== "never" || output.backups !== null))
    bad("`apply` and `backups` are for the shapes `workspace_edit` and `text_edits`.", "Remove them.");
  const givesEdit = last?.kind === "runtime" && actions[last.action].gives === "edit";
  if (givesEdit && output.shape !== "workspace_edit")
    bad(`The last step gives an edit, not the shape \`${output.shape}\`.`, "Use the shape `workspace_edit`.");
}
