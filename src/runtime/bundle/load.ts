/**
 * From a bundle to what the runtime runs. Nothing is used before every byte was verified, and the modules are imported
 * from the verified bytes themselves, so nothing can change between check and use.
 */

import type { TextFunction, Validator } from "../../abi/bundle.js";
import {
  ANSWERS_FILE,
  type Bundle,
  bundlePaths,
  ERROR_TEXT_FILE,
  type Manifest,
  PLAN_FILE,
  TOOLS_FILE,
  type ToolEntry,
} from "../../abi/bundle.js";
import type { Abi, HandlerModule, ToolDefinition } from "../../abi/handler.js";
import { ABI_VERSION, type Plan } from "../../abi/plan.js";
import { codes } from "../../base/codes.js";
import { isTable, type JsonObject } from "../../base/json.js";
import { ConfigError, Fault } from "../../base/problem.js";
import type { Soon } from "../../base/soon.js";
import { type BundleBytes, bundleInMemory, bundleOnDisk, verifyBundle } from "./bundle-files.js";

/** A verified bundle; its modules are imported at their first use. */
export interface LoadedBundle {
  readonly manifest: Manifest;
  readonly plan: Plan;
  /** What `tools/list` says, sorted by name. */
  readonly tools: ToolEntry[];
  handler(tool: string): Soon<ToolDefinition>;
  /** The names of a tool's arguments, as its schema has them. */
  argumentNames(tool: string): readonly string[];
  inputValidator(tool: string): Soon<Validator>;
  outputValidator(tool: string): Promise<Validator>;
  /** The text of a tool that words its own `content`. */
  text(tool: string): Soon<TextFunction>;
  /** The dialect's text for refusals. */
  errorText(): Soon<TextFunction>;
}

/** Where a bundle comes from. */
export type BundleSource = { folder: string } | { bundle: Bundle };

const abi: Abi = { version: ABI_VERSION, tool: (definition) => definition };

/** Verifies a bundle against its manifest (and a pin) and loads it; throws a ConfigError with all that is wrong. */
export async function loadBundle(
  source: BundleSource,
  options: { expect?: string } = {},
): Promise<LoadedBundle> {
  const raw = "folder" in source ? await bundleOnDisk(source.folder) : bundleInMemory(source.bundle);
  verifyBundle(raw, options.expect);
  const plan = jsonOf<Plan>(raw.bytes, PLAN_FILE);
  const tools = jsonOf<ToolEntry[]>(raw.bytes, TOOLS_FILE);
  const answers = raw.bytes.has(ANSWERS_FILE) ? jsonOf<JsonObject>(raw.bytes, ANSWERS_FILE) : {};
  verifyTools(plan, tools, answers, raw.bytes);
  const load = moduleLoader(raw.bytes);
  const handlers = new Map<string, ToolDefinition>();
  const validators = new Map<string, Validator>();
  const names = new Map(tools.map(({ name, inputSchema }) => [name, propertiesOf(inputSchema)]));
  const openHandler = async (tool: string): Promise<ToolDefinition> => {
    const make = await load(bundlePaths.handler(tool));
    const definition = (make as HandlerModule)(abi);
    if (definition.name !== tool) throw new Fault(`the handler of ${tool} calls itself ${definition.name}`);
    handlers.set(tool, definition);
    return definition;
  };
  const openValidator = async (tool: string): Promise<Validator> => {
    const validator = (await load(bundlePaths.inputValidator(tool))) as Validator;
    validators.set(tool, validator);
    return validator;
  };
  return {
    manifest: raw.manifest,
    plan,
    tools,
    handler: (tool) => handlers.get(tool) ?? openHandler(tool),
    argumentNames: (tool) => names.get(tool) ?? [],
    inputValidator: (tool) => validators.get(tool) ?? openValidator(tool),
    async outputValidator(tool) {
      const path = answerPath(answers, tool);
      if (path === undefined) throw new Fault(`the bundle names no validator for the answers of ${tool}`);
      return (await load(path)) as Validator;
    },
    text: (tool) => load(bundlePaths.text(tool)) as Soon<TextFunction>,
    errorText: () => load(ERROR_TEXT_FILE) as Soon<TextFunction>,
  };
}

function propertiesOf({ properties }: ToolEntry["inputSchema"]): string[] {
  return isTable(properties) ? Object.keys(properties) : [];
}

/** Where the validator of a tool's answers stands, as far as the bundle says. */
function answerPath(answers: JsonObject, tool: string): string | undefined {
  const path = Object.hasOwn(answers, tool) ? answers[tool] : undefined;
  return typeof path === "string" ? path : undefined;
}

/** Imports a module's default export from the bytes in memory, each module once; what was imported is there at once. */
function moduleLoader(bytes: BundleBytes): (path: string) => Soon<unknown> {
  const loaded = new Map<string, Soon<unknown>>();
  return (path) => {
    const known = loaded.get(path);
    if (known) return known;
    const started = importBytes(path, bytes.get(path)).then((module) => {
      loaded.set(path, module);
      return module;
    });
    loaded.set(path, started);
    return started;
  };
}

async function importBytes(path: string, content: Uint8Array | undefined): Promise<unknown> {
  if (content === undefined) throw new Fault(`the bundle has no ${path}`);
  const url = `data:text/javascript;base64,${Buffer.from(content).toString("base64")}`;
  const module: { default?: unknown } = await import(/* @vite-ignore */ url);
  if (typeof module.default !== "function") throw new Fault(`${path} exports no function`);
  return module.default;
}

function jsonOf<T>(bytes: BundleBytes, path: string): T {
  return JSON.parse(new TextDecoder().decode(bytes.get(path))) as T;
}

/** Whether a tool has a text of its own, or the dialect's. */
function wordsItself({ tools, dialect }: Plan, name: string): boolean {
  return dialect.text !== null || tools.some((tool) => tool.name === name && tool.text !== null);
}

/** A manifest may be whole and still name too little: every listed tool needs its plan and its modules. */
function verifyTools(plan: Plan, tools: ToolEntry[], answers: JsonObject, bytes: BundleBytes): void {
  const planned = new Set(plan.tools.map((tool) => tool.name));
  const lacking = tools.flatMap(({ name }) => [
    ...(planned.has(name) ? [] : [`the plan of ${name}`]),
    ...[
      bundlePaths.handler(name),
      bundlePaths.inputValidator(name),
      answerPath(answers, name) ?? `the entry of ${name} in ${ANSWERS_FILE}`,
      ...(wordsItself(plan, name) ? [bundlePaths.text(name)] : []),
    ].filter((path) => !bytes.has(path)),
  ]);
  if (lacking.length === 0) return;
  throw new ConfigError(
    lacking.map((what) => ({
      code: "bundle/missing" as const,
      severity: "error" as const,
      message: `The bundle lacks ${what}.`,
      pointer: "",
      fix: codes["bundle/missing"].fix,
    })),
  );
}
