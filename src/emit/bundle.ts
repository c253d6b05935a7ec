/**
 * Plan → Bundle: the text of every file, and the manifest with their hashes. Pure: the same plan gives the same bytes.
 */
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
import { sortBy, uniqueBy } from "../base/order.js";
import { ConfigError } from "../base/problem.js";
import { answerSchema, outputSchema } from "../protocol/envelope.js";
import { emitHandler } from "./handler.js";
import { inputSchema } from "./input-schema.js";
import type { Templates } from "./render.js";
import { textFiles } from "./texts.js";
import { toolEntry } from "./tool-entry.js";
import { emitCatalogue, listedTools } from "./tools-page.js";
import { bareSchema, emitValidator, type SchemaCompiler, SchemaError } from "./validator.js";

const schemaDialect = "https://json-schema.org/draft/2020-12/schema";

/** The inputs of emitting besides the plan. */
interface EmitTools {
  templates: Templates;
  compiler: SchemaCompiler;
  /** Name and version of the generating program. */
  generator: string;
}

/** The bundle of a plan. Throws a ConfigError for a bad result schema or text template. */
export function emitBundle(plan: Plan, tools: EmitTools): Bundle {
  const { templates, generator } = tools;
  const listed = listedTools(plan);
  const entries = listed.map((tool) => toolEntry(tool, plan.dialect));
  const emitted = emittedTools(plan);
  const files: BundleFile[] = [
    { path: PLAN_FILE, text: canonicalPretty(plan) },
    { path: TOOLS_FILE, text: canonicalPretty(entries) },
    { path: CATALOGUE_FILE, text: emitCatalogue(listed, plan.dialect, templates) },
    ...emitted.flatMap((tool) => toolFiles(tool, plan, tools)),
    ...answerFiles(emitted, plan, tools),
    ...replyFiles(emitted, plan, tools),
    ...textFiles(plan, emitted, templates),
  ];
  const sorted = sortBy(files, (file) => [file.path]);
  return { files: sorted, manifest: buildManifest(sorted, generator) };
}

/** The listed tools, those of the channel for the host, and the tools that they call, listed or not. */
function emittedTools(plan: Plan): ToolPlan[] {
  const names = new Set<string>();
  const visit = (tool: ToolPlan | undefined): void => {
    if (!tool || names.has(tool.name)) return;
    names.add(tool.name);
    for (const step of tool.steps)
      if (step.kind === "tool") visit(plan.tools.find((candidate) => candidate.name === step.tool));
  };
  listedTools(plan).forEach(visit);
  const ofHost = Object.values(plan.mcp.hostChannel?.tools ?? {});
  plan.tools.filter(({ name }) => ofHost.includes(name)).forEach(visit);
  return plan.tools.filter((tool) => names.has(tool.name));
}

/** Every schema that the bundle of a plan has a validator for, as the compiler gets it. */
export function compiledSchemas(plan: Plan): JsonObject[] {
  const schemas = emittedTools(plan).flatMap((tool) => [
    bareSchema(inputSchema(tool, plan.dialect)),
    bareSchema(answerSchema(tool, plan.dialect)),
    ...declaredResults(tool, plan).map(({ schema }) => bareSchema(schema)),
  ]);
  return uniqueBy(schemas, (schema) => JSON.stringify(schema));
}

function toolFiles(tool: ToolPlan, plan: Plan, { templates, compiler }: EmitTools): BundleFile[] {
  const title = `${tool.name} arguments`;
  const input = { $schema: schemaDialect, title, ...inputSchema(tool, plan.dialect) };
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

/** The validators of answers, one for all tools with equal answer schemas, and the map from tool to validator. */
function answerFiles(tools: readonly ToolPlan[], plan: Plan, emit: EmitTools): BundleFile[] {
  const modules = new ValidatorModules(`the answers of the tools that ${ANSWERS_FILE} names it for`, emit);
  const paths: JsonObject = {};
  for (const tool of tools) {
    const declared = tool.output.schema;
    const path = bundlePaths.answerValidator;
    reportBadResult(tool, () => {
      if (declared !== null) emit.compiler.check(declared);
      define(paths, tool.name, modules.add(answerSchema(tool, plan.dialect), path));
    });
  }
  return [{ path: ANSWERS_FILE, text: canonicalPretty(paths) }, ...modules.files];
}

/** Validator modules that are named by the hash of their schema, so that equal schemas share one. */
class ValidatorModules {
  readonly #texts = new Map<string, string>();

  constructor(
    private readonly subject: string,
    private readonly tools: EmitTools,
  ) {}

  /** Adds the validator of a schema and returns its path. */
  add(schema: JsonObject, pathOf: (schemaHash: string) => string): string {
    const { templates, compiler } = this.tools;
    const path = pathOf(sha256(JSON.stringify(bareSchema(schema))));
    if (!this.#texts.has(path))
      this.#texts.set(path, emitValidator(schema, this.subject, templates, compiler));
    return path;
  }

  get files(): BundleFile[] {
    return [...this.#texts].map(([path, text]) => ({ path, text }));
  }
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

/** The validators of servers' replies, one for all methods with equal schemas, and the map from method to validator. */
function replyFiles(tools: readonly ToolPlan[], plan: Plan, emit: EmitTools): BundleFile[] {
  const modules = new ValidatorModules(`the replies to the methods that ${REPLIES_FILE} names it for`, emit);
  const paths = new Map<string, JsonObject>();
  for (const tool of tools) {
    for (const { server, method, schema } of declaredResults(tool, plan)) {
      const methods = paths.get(server) ?? {};
      paths.set(server, methods);
      reportBadResult(tool, () => {
        emit.compiler.check(schema);
        define(methods, method, modules.add(schema, bundlePaths.replyValidator));
      });
    }
  }
  const { files } = modules;
  const text = canonicalPretty(Object.fromEntries(paths));
  return files.length === 0 ? [] : [{ path: REPLIES_FILE, text }, ...files];
}

/** Turns a SchemaError into a problem of the config, which only the declared `result` of a method can cause. */
function reportBadResult(tool: ToolPlan, compile: () => void): void {
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
        fix: "Correct `result` of that method: a JSON Schema (2020-12) without references to other documents.",
      },
    ]);
  }
}

function buildManifest(files: readonly BundleFile[], generator: string): Manifest {
  const digests = Object.fromEntries(files.map((file) => [file.path, digest(file.text)]));
  const members = { abi: ABI_VERSION, generator, plan: digests[PLAN_FILE] ?? "", files: digests };
  return { ...members, bundle: digest(canonicalText(members)) };
}
