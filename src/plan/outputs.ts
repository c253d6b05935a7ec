/** The `output` of a tool → OutputPlan. The shape must exist, and the last step must return a value that fits it. */
import type { FilterPlan, OutputPlan, ShapeName, StepPlan, Template } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { Config, ToolConfig } from "../config/schema.js";
import { actions } from "../protocol/actions.js";
import { evidenceMembers } from "../protocol/envelope.js";
import { editShapes, ofMethods, shapesOf } from "../protocol/method-shapes.js";
import { shapeNames, shapes } from "../protocol/shapes.js";
import { defaultSnippet } from "./defaults.js";
import { buildColumns, buildMembers } from "./members.js";
import { buildTemplate } from "./references.js";
import { quoted, type Report } from "./report.js";
import { canonicalSchema } from "./result-schema.js";
import { alternativesOf, lastStep } from "./step-values.js";

type Given = Partial<Exclude<NonNullable<ToolConfig["output"]>, string>> & { shape: string };

/** The filters that a shape has. */
const filters: { readonly [shape in ShapeName]?: readonly string[] } = {
  diagnostics: ["severity"],
  document_symbols: ["depth", "kinds", "locals", "imports"],
  workspace_symbols: ["folder"],
};

/** `inputs` are the names that references `input.X` may use. */
export function buildOutput(
  tool: ToolConfig,
  steps: readonly StepPlan[],
  { config, inputs }: { config: Config; inputs: readonly string[] },
  report: Report,
): OutputPlan {
  const given: Given =
    typeof tool.output === "string" ? { shape: tool.output } : (tool.output ?? { shape: "json" });
  const own = report.at("output");
  const at = typeof tool.output === "object" ? own.at("shape") : own;
  const shape = knownShape(given.shape, at);
  const output: OutputPlan = {
    shape,
    at: given.at ?? "",
    language: given.language ?? null,
    apply: given.apply ?? "never",
    backups: buildBackups(given, inputs, own.at("backups")),
    schema: null,
    list: given.list ?? null,
    count: given.count ?? null,
    symbols:
      given.symbols === undefined ? null : { list: given.symbols.list, count: given.symbols.count ?? null },
    ids: given.ids ?? false,
    marked: given.marked ?? false,
    ...(given.joined === undefined ? {} : { joined: given.joined }),
    ...(given.raw === undefined ? {} : { raw: given.raw }),
    ...(given.item === undefined ? {} : { item: knownForm(given.item, config, own.at("item")) }),
    outcomes: given.outcomes ?? "word",
    ...buildBounds(given, shape, inputs, own),
    gather: [],
    columns: shape === "items" ? buildColumns(lastStep(steps), steps, given.columns ?? [], own) : [],
    members: buildMembers(given, steps, methodMisfit, own),
  };
  if (given.columns !== undefined && shape !== "items" && shape !== "members")
    own
      .at("columns")
      .add("plan/bad-tool", "`columns` is for the shapes `items` and `members`.", "Remove it.");
  if (shape === "json" && output.at === "") {
    output.gather = gathered(steps);
    if (output.gather.length === 0) output.schema = resultSchema(steps, config);
  }
  const bad = (message: string, fix: string) => at.add("plan/bad-tool", message, fix);
  checkFit(output, steps, bad);
  checkMembers(output, tool, bad);
  checkEdit(output, tool, steps, bad);
  return output;
}

/** The name of a form of items, which must be in the dialect. */
function knownForm(name: string, { dialect }: Config, report: Report): string {
  const known = Object.keys(dialect?.items ?? {});
  if (!known.includes(name)) report.unknown("plan/bad-dialect", "The form of items", name, known);
  return name;
}

/** Shapes that any value fits. */
const valueShapes: readonly ShapeName[] = ["json", "text", "items"];

type ValueKind = "boolean" | "number" | "string" | "list";

type AddProblem = (message: string, fix: string) => void;

/** Reads a value that is a literal or a reference to an argument. */
function readValue(value: unknown, kind: ValueKind, inputs: readonly string[], report: Report): Template {
  const built = buildTemplate(value, { inputs, steps: [], each: false, document: false }, report);
  const isArgument = built.kind === "ref" && built.ref.root === "input" && built.ref.name !== null;
  const fix = 'Write the value, or `{ from = "input.NAME" }`.';
  // A list may be written as one text with commas.
  const isValue = isLiteral(built, kind) || (kind === "list" && isLiteral(built, "string"));
  if (!isArgument && !isValue) report.add("plan/bad-tool", `This is neither a ${kind} nor an argument.`, fix);
  return built;
}

function isLiteral(built: Template, kind: ValueKind): boolean {
  if (kind === "list")
    return built.kind === "list" || (built.kind === "literal" && Array.isArray(built.value));
  return built.kind === "literal" && typeof built.value === kind;
}

function buildBackups({ backups }: Given, inputs: readonly string[], report: Report): OutputPlan["backups"] {
  if (backups === undefined) return null;
  return {
    create: readValue(backups.create ?? true, "boolean", inputs, report.at("create")),
    suffix: readValue(backups.suffix ?? ".bak", "string", inputs, report.at("suffix")),
  };
}

function buildBounds(
  { snippet = {}, filter, max_chars: maxChars }: Given,
  shape: ShapeName,
  inputs: readonly string[],
  report: Report,
): Pick<OutputPlan, "snippet" | "filter" | "maxChars"> {
  const { show = shape === "locations" } = snippet;
  const { context_lines: lines = defaultSnippet.contextLines, max_chars: chars = defaultSnippet.maxChars } =
    snippet;
  const at = report.at("snippet");
  return {
    snippet: {
      show: readValue(show, "boolean", inputs, at.at("show")),
      contextLines: readValue(lines, "number", inputs, at.at("context_lines")),
      maxChars: readValue(chars, "number", inputs, at.at("max_chars")),
    },
    filter: filter === undefined ? null : buildFilter(filter, inputs, report.at("filter")),
    maxChars: maxChars === undefined ? null : readValue(maxChars, "number", inputs, report.at("max_chars")),
  };
}

function buildFilter(
  given: NonNullable<Given["filter"]>,
  inputs: readonly string[],
  report: Report,
): FilterPlan {
  const read = (name: keyof FilterPlan, kind: ValueKind) =>
    given[name] === undefined ? null : readValue(given[name], kind, inputs, report.at(name));
  return {
    severity: read("severity", "string"),
    depth: read("depth", "number"),
    kinds: read("kinds", "list"),
    locals: read("locals", "boolean"),
    imports: read("imports", "boolean"),
    folder: readFolder(given.folder, inputs, report.at("folder")),
  };
}

/** A folder must have gone through the gate: only the path of a place argument has. */
function readFolder(value: unknown, inputs: readonly string[], report: Report): Template | null {
  if (value === undefined) return null;
  const built = readValue(value, "string", inputs, report);
  if (built.kind !== "ref" || built.ref.path.at(-1) !== "absolute_path")
    report.add(
      "plan/bad-tool",
      "The folder is not the path of a place argument.",
      'Write `{ from = "input.NAME.absolute_path" }`, where NAME has `type = "path"`.',
    );
  return built;
}

function knownShape(name: string, report: Report): ShapeName {
  if (Object.hasOwn(shapes, name)) return name as ShapeName;
  report.unknown("plan/unknown-shape", "The output shape", name, shapeNames);
  return "json";
}

/** A workflow of several tools returns the answers of all of them. */
function gathered(steps: readonly StepPlan[]): string[] {
  const own = steps.filter(({ id }) => steps.every(({ orElse }) => orElse !== id));
  return own.length > 1 && steps.every((step) => step.kind === "tool") ? own.map((step) => step.id) : [];
}

/** The declared schema of a custom method's result, if that result is the whole answer. */
function resultSchema(steps: readonly StepPlan[], config: Config): JsonObject | null {
  const last = lastStep(steps);
  if (last?.kind !== "request" || last.each !== null || last.merge === "all") return null;
  if (last.list !== null || last.when !== null || last.orElse !== null) return null;
  const declared = config.methods?.find((entry) => entry.method === last.method);
  return canonicalSchema(declared?.result);
}

function checkFit(output: OutputPlan, steps: readonly StepPlan[], add: AddProblem): void {
  const last = lastStep(steps);
  if (!last) return;
  const { shape } = output;
  const bad = (message: string, fix = "Choose another shape, or end with another step.") => add(message, fix);
  if ((shape === "members") !== output.members.length > 0)
    bad("The shape `members` needs `members`, and they need that shape.", "Give both.");
  if (shape === "members") return;
  for (const alternative of alternativesOf(last, steps)) checkLast(output, alternative, bad);
  const isValue = shape === "json" || shape === "text";
  if (output.at !== "" && !isValue) bad("`at` is for the shapes `text` and `json`.", "Remove `at`.");
  if (output.ids && !shapes[shape].counted)
    bad(`The shape \`${shape}\` has no items with ids.`, "Remove `ids`.");
  if (output.outcomes === "success" && shape !== "batch")
    bad('`outcomes = "success"` is for the shape `batch`.', "Remove `outcomes`.");
  if (output.outcomes === "applied" && !editShapes.includes(shape))
    bad('`outcomes = "applied"` is for edits.', "Remove `outcomes`.");
  if (output.joined !== undefined && shape !== "hover")
    bad("`joined` is for the shape `hover`.", "Remove `joined`.");
  if (output.raw !== undefined && shape !== "hover") bad("`raw` is for the shape `hover`.", "Remove `raw`.");
  if (output.marked && shape !== "hover") bad("`marked` is for the shape `hover`.", "Remove `marked`.");
  for (const [name, value] of Object.entries(output.filter ?? {}))
    if (value !== null && !filters[shape]?.includes(name))
      bad(`\`filter.${name}\` is not for the shape \`${shape}\`.`, `Remove \`${name}\`.`);
  if (output.language !== null && shape !== "text")
    bad("`language` is for the shape `text`.", "Remove `language`.");
}

/** Checks that the step that gives the answer, or one that takes its place, gives the shape. */
function checkLast(
  { shape }: OutputPlan,
  last: StepPlan,
  bad: (message: string, fix?: string) => void,
): void {
  const gives = last.kind === "runtime" ? actions[last.action].gives : undefined;
  if (shape === "server_status" && gives !== "servers")
    bad("The shape `server_status` needs a runtime step that returns servers at the end.");
  if ((shape === "source") !== (gives === "source"))
    bad("The shape `source` needs the runtime step `symbol_source` at the end, and that step this shape.");
  const isDiagnostics = shape === "diagnostics" || shape === "workspace_diagnostics";
  if (isDiagnostics && last.kind !== "diagnostics")
    bad(`The shape \`${shape}\` needs a step of kind \`diagnostics\` at the end.`);
  if (last.kind === "diagnostics" && !isDiagnostics && !valueShapes.includes(shape))
    bad(`A step of kind \`diagnostics\` does not return the shape \`${shape}\`.`);
  if (shape === "batch" && last.kind !== "batch")
    bad("The shape `batch` needs a step of kind `batch` at the end.");
  const isValue = valueShapes.includes(shape);
  if ((last.kind === "tool" || gives === "value") && !isValue)
    bad(`The last step returns a value, not the shape \`${shape}\`.`);
  const isOwnForm = last.kind === "request" && (last.each?.keep || last.each?.depth != null);
  if ((isOwnForm || last.kind === "notify") && !isValue)
    bad(`The step \`${last.id}\` returns values of its own, not the shape \`${shape}\`.`);
  const misfit = methodMisfit(shape, last);
  if (misfit !== undefined) bad(misfit);
  if (last.list?.pick != null && !valueShapes.includes(shape))
    bad(`A step with \`pick\` does not return the shape \`${shape}\`.`, "Use the shape `items`.");
  if (last.list !== null && isDiagnostics)
    bad(`The shape \`${shape}\` shows all diagnostics.`, "Use `output.filter`, or `pick` and `items`.");
}

/** Why the result of an LSP method does not fit the shape. Shapes of other steps are checked above. */
function methodMisfit(shape: ShapeName, last: StepPlan): string | undefined {
  const filled = last.kind === "request" && last.form === undefined ? shapesOf(last.method) : undefined;
  if (last.kind !== "request" || filled === undefined || !ofMethods.has(shape) || filled.includes(shape))
    return undefined;
  const names = quoted(filled, " or ");
  return `The method \`${last.method}\` does not return the shape \`${shape}\`, but ${names}.`;
}

/** Edits need the effect `edit`, and only edits can be applied. */
function checkEdit(output: OutputPlan, tool: ToolConfig, steps: readonly StepPlan[], bad: AddProblem): void {
  const isEdit = editShapes.includes(output.shape);
  const last = lastStep(steps);
  if (isEdit && tool.effect !== "edit")
    bad(`The shape \`${output.shape}\` needs a tool with the effect \`edit\`.`, 'Set `effect = "edit"`.');
  if (!isEdit && (output.apply !== "never" || output.backups !== null))
    bad("`apply` and `backups` are for the shapes `workspace_edit` and `text_edits`.", "Remove them.");
  const givesEdit = last?.kind === "runtime" && actions[last.action].gives === "edit";
  if (givesEdit && output.shape !== "workspace_edit")
    bad(
      `The last step returns an edit, not the shape \`${output.shape}\`.`,
      "Use the shape `workspace_edit`.",
    );
}

/** Checks the member names that an output sets: the shape must have such a member, and no name occurs twice. */
function checkMembers(output: OutputPlan, tool: ToolConfig, bad: AddProblem): void {
  const facts = shapes[output.shape];
  if (output.list !== null && facts.list === null)
    bad(`The shape \`${output.shape}\` has no list.`, "Remove `list`.");
  if (output.count !== null && !facts.counted)
    bad(`The shape \`${output.shape}\` has no items to count.`, "Remove `count`.");
  const { symbols } = output;
  if (symbols !== null && (!facts.counted || facts.within !== undefined))
    bad(`The items of the shape \`${output.shape}\` cannot be grouped by symbol.`, "Remove `symbols`.");
  const anchors = [tool.input ?? []].flat();
  if (symbols !== null && (anchors.length !== 1 || anchors[0] !== "symbol"))
    bad("`symbols` is for tools whose only input is `symbol`.", 'Set `input = "symbol"`.');
  const own = [symbols?.list ?? output.list, output.count, symbols?.count].flatMap((name) => name ?? []);
  const twice = own.find((name, index) => evidenceMembers.includes(name) || own.indexOf(name) !== index);
  if (twice !== undefined)
    bad(`The answer has another member \`${twice}\` already.`, "Choose another name for one of them.");
}
