/** Plan → Bundle: every file as text, with the manifest that names and hashes them. Pure: same plan, same bytes. */
import {
  ANSWERS_FILE,
  type Bundle,
  type BundleFile,
  bundlePaths,
  CATALOGUE_FILE,
  type Manifest,
  PLAN_FILE,
  REPLIES_FILE,
  TOOLS_FILE,
} from "../abi/bundle.js";
import { ABI_VERSION, type Plan, type ToolPlan } from "../abi/plan.js";
import { digest, sha256 } from "../base/hash.js";
import { canonicalPretty, canonicalText, define, type JsonObject } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { ConfigError } from "../base/problem.js";
import { answerSchema, outputSchema } from "../protocol/envelope.js";
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
  const listed = listedTools(plan);
  const entries = listed.map((tool) => toolEntry(tool, plan.dialect));
  const reached = reachable(listed, plan);
  const files: BundleFile[] = [
    { path: PLAN_FILE, text: canonicalPretty(plan) },
    { path: TOOLS_FILE, text: canonicalPretty(entries) },
    { path: CATALOGUE_FILE, text: emitCatalogue(listed, plan.dialect, templates) },
    ...reached.flatMap((tool) => toolFiles(tool, plan, tools)),
    ...answerFiles(reached, plan, tools),
    ...replyFiles(reached, plan, tools),
    ...textFiles(plan, reached, templates),
  ];
  const sorted = sortBy(files, (file) => [file.path]);
  return { files: sorted, manifest: buildManifest(sorted, generator) };
}

function listedTools({ tools, mcp }: Plan): ToolPlan[] {
  const names = new Set(mcp.listed);
  return tools.filter((tool) => names.has(tool.name));
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
  const answers = new Set<JsonObject>();
  for (const tool of reachable(listedTools(plan), plan)) {
    yield bareSchema(inputSchema(tool, plan.dialect));
    const answer = answerSchema(tool, plan.dialect);
    if (!answers.has(answer)) yield bareSchema(answer);
    answers.add(answer);
    for (const { schema } of declaredResults(tool, plan)) yield bareSchema(schema);
  }
}

function toolFiles(tool: ToolPlan, plan: Plan, { templates, compiler }: EmitTools): BundleFile[] {
  const title = `${tool.name} arguments`;
  const input = { $schema: dialectOfSchemas, title, ...inputSchema(tool, plan.dialect) };
  const output = outputSchema(tool, plan.dialect);
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
  const known = new Map<JsonObject, string>();
  for (const tool of tools) {
    const schema = answerSchema(tool, plan.dialect);
    const path = known.get(schema) ?? answerPath(schema);
    known.set(schema, path);
    define(paths, tool.name, path);
    const declared = tool.output.schema;
    if (declared !== null) checkResult(tool, () => compiler.check(declared));
    const emit = () => modules.set(path, emitValidator(schema, answersOf, templates, compiler));
    if (modules.has(path)) continue;
    if (declared === null) emit();
    else checkResult(tool, emit);
  }
  return [
    { path: ANSWERS_FILE, text: canonicalPretty(paths) },
    ...[...modules].map(([path, text]) => ({ path, text })),
  ];
}

/** The results that the config declares for methods that a tool requests, by server. */
function declaredResults({ steps }: ToolPlan, { servers }: Plan) {
  return steps.flatMap((step) =>
    servers.flatMap(({ id: server, customMethods }) => {
      const method = step.kind === "request" ? step.method : "";
      const schema = Object.hasOwn(customMethods, method) ? customMethods[method]?.result : undefined;
      return schema ? [{ server, method, schema }] : [];
    }),
  );
}

/** The validators of servers' replies, one for all methods with equal schemas, and which method has which. */
function replyFiles(
  tools: readonly ToolPlan[],
  plan: Plan,
  { templates, compiler }: EmitTools,
): BundleFile[] {
  const modules = new Map<string, string>();
  const paths: { [server: string]: JsonObject } = {};
  for (const tool of tools) {
    for (const { server, method, schema } of declaredResults(tool, plan)) {
      const path = bundlePaths.replyValidator(sha256(JSON.stringify(bareSchema(schema))));
      const methods = paths[server] ?? {};
      paths[server] = methods;
      define(methods, method, path);
      checkResult(tool, () => {
        compiler.check(schema);
        if (!modules.has(path)) modules.set(path, emitValidator(schema, repliesOf, templates, compiler));
      });
    }
  }
  if (modules.size === 0) return [];
  return [
    { path: REPLIES_FILE, text: canonicalPretty(paths) },
    ...[...modules].map(([path, text]) => ({ path, text })),
  ];
}

function answerPath(schema: JsonObject): string {
  return bundlePaths.answerValidator(sha256(JSON.stringify(bareSchema(schema))));
}

const answersOf = `the answers of the tools that ${ANSWERS_FILE} names it for`;
const repliesOf = `the replies to the methods that ${REPLIES_FILE} names it for`;

/** Reports a declared `result` that is not a usable schema: the only schema that comes from the config. */
function checkResult(tool: ToolPlan, compile: () => void): void {
  try {
    compile();
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
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
