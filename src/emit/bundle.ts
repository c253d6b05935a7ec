/** Plan → Bundle: every file as text, with the manifest that names and hashes them. Pure: same plan, same bytes. */
import {
  ANSWERS_FILE,
  type Bundle,
  type BundleFile,
  bundlePaths,
  CATALOGUE_FILE,
  type Manifest,
  PLAN_FILE,
  TOOLS_FILE,
} from "../abi/bundle.js";
import { ABI_VERSION, type Plan, type ToolPlan } from "../abi/plan.js";
import { digest, sha256 } from "../base/hash.js";
import { canonicalPretty, canonicalText, define, type JsonObject } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { ConfigError } from "../base/problem.js";
import { outputSchema } from "../protocol/envelope.js";
import { emitCatalogue } from "./catalogue.js";
import { emitHandler } from "./handler.js";
import { inputSchema } from "./input-schema.js";
import type { Templates } from "./render.js";
import { textFiles } from "./texts.js";
import { toolEntry } from "./tool-entry.js";
import { bareSchema, emitValidator, type SchemaCompiler, SchemaError } from "./validator.js";

const dialectOfSchemas = "https://json-schema.org/draft/2020-12/schema";

/** What a bundle is made with, besides its plan. */
export interface EmitTools {
  templates: Templates;
  compiler: SchemaCompiler;
  /** Names the program that makes it. */
  generator: string;
}

/** The bundle of a plan. Throws a ConfigError for a bad result schema. */
export function emitBundle(plan: Plan, tools: EmitTools): Bundle {
  const { templates, generator } = tools;
  const listed = plan.tools.filter((tool) => plan.mcp.listed.includes(tool.name));
  const entries = listed.map((tool) => toolEntry(tool, plan.dialect));
  const reached = reachable(listed, plan);
  const files: BundleFile[] = [
    { path: PLAN_FILE, text: canonicalPretty(plan) },
    { path: TOOLS_FILE, text: canonicalPretty(entries) },
    { path: CATALOGUE_FILE, text: emitCatalogue(listed, plan.dialect, templates) },
    ...reached.flatMap((tool) => toolFiles(tool, plan, tools)),
    ...answerFiles(reached, plan, tools),
    ...textFiles(plan, reached, templates),
  ];
  const sorted = sortBy(files, (file) => [file.path]);
  return { files: sorted, manifest: buildManifest(sorted, generator) };
}

/** The listed tools and those that they are made of, hidden or not. */
function reachable(listed: readonly ToolPlan[], plan: Plan): ToolPlan[] {
  const names = new Set<string>();
  const visit = (tool: ToolPlan | undefined): void => {
    if (!tool || names.has(tool.name)) return;
    names.add(tool.name);
    for (const step of tool.steps)
      if (step.kind === "tool") visit(plan.tools.find((candidate) => candidate.name === step.tool));
  };
  listed.forEach(visit);
  return plan.tools.filter((tool) => names.has(tool.name));
}

/** Every schema that a bundle of the plan has code for, as the compiler sees it, one after the other. */
export function* compiledSchemas(plan: Plan): Iterable<JsonObject> {
  const listed = plan.tools.filter((tool) => plan.mcp.listed.includes(tool.name));
  for (const tool of reachable(listed, plan)) yield* schemasOf(tool, plan).map(bareSchema);
}

function schemasOf(tool: ToolPlan, { dialect }: Plan): [input: JsonObject, output: JsonObject] {
  const title = `${tool.name} arguments`;
  return [{ $schema: dialectOfSchemas, title, ...inputSchema(tool, dialect) }, outputSchema(tool, dialect)];
}

function toolFiles(tool: ToolPlan, plan: Plan, { templates, compiler }: EmitTools): BundleFile[] {
  const [input, output] = schemasOf(tool, plan);
  return [
    { path: bundlePaths.handler(tool.name), text: emitHandler(tool, plan.dialect, templates) },
    { path: bundlePaths.inputSchema(tool.name), text: canonicalPretty(input) },
    { path: bundlePaths.outputSchema(tool.name), text: canonicalPretty(output) },
    {
      path: bundlePaths.inputValidator(tool.name),
      text: emitValidator(input, `the arguments of ${tool.name}`, templates, compiler),
    },
  ];
}

/** The validators of answers, one for all tools whose answers have equal schemas, and which tool has which. */
function answerFiles(
  tools: readonly ToolPlan[],
  plan: Plan,
  { templates, compiler }: EmitTools,
): BundleFile[] {
  const modules = new Map<string, string>();
  const paths: JsonObject = {};
  for (const tool of tools) {
    const [, output] = schemasOf(tool, plan);
    const path = bundlePaths.answerValidator(sha256(JSON.stringify(bareSchema(output))));
    define(paths, tool.name, path);
    checkResult(tool, () => {
      if (tool.output.schema !== null) compiler.check(tool.output.schema);
      if (!modules.has(path)) modules.set(path, emitValidator(output, answersOf, templates, compiler));
    });
  }
  return [
    { path: ANSWERS_FILE, text: canonicalPretty(paths) },
    ...[...modules].map(([path, text]) => ({ path, text })),
  ];
}

const answersOf = `the answers of the tools that ${ANSWERS_FILE} names it for`;

/** Only in answers does a schema come from the config: a method's declared `result`. */
function checkResult(tool: ToolPlan, compile: () => void): void {
  try {
    compile();
  } catch (cause) {
    if (!(cause instanceof SchemaError) || tool.output.schema === null) throw cause;
    throw new ConfigError([
      {
        code: "plan/bad-schema",
        severity: "error",
        message: `The result schema of the method that \`${tool.name}\` uses is not usable: ${cause.message}.`,
        pointer: tool.source.pointer,
        fix: "Mend `result` of that method: a JSON Schema (2020-12) without references to other documents.",
      },
    ]);
  }
}

function buildManifest(files: readonly BundleFile[], generator: string): Manifest {
  const digests = Object.fromEntries(files.map((file) => [file.path, digest(file.text)]));
  const members = { abi: ABI_VERSION, generator, plan: digests[PLAN_FILE] ?? "", files: digests };
  return { ...members, bundle: digest(canonicalText(members)) };
}
