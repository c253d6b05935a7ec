/**
 * Loads a bundle. Nothing is used before every byte is verified, and the modules are imported from the verified bytes
 * in memory, so nothing can change between check and use.
 */
import {
  ANSWERS_FILE,
  type Bundle,
  bundlePaths,
  ERROR_TEXT_FILE,
  type Manifest,
  PLAN_FILE,
  REPLIES_FILE,
  type TextFunction,
  TOOLS_FILE,
  type ToolEntry,
  type Validator,
} from "../../abi/bundle.js";
import type { Abi, HandlerModule, ToolDefinition } from "../../abi/handler.js";
import { ABI_VERSION, type Plan } from "../../abi/plan.js";
import { getAt, isTable } from "../../base/json.js";
import { ConfigError, Fault } from "../../base/problem.js";
import {
  type BundleBytes,
  bundleInMemory,
  bundleOnDisk,
  bundleProblem,
  verifyBundle,
} from "./bundle-files.js";

/** A verified bundle; the modules of a tool are imported when it is first called. */
export interface LoadedBundle {
  readonly manifest: Manifest;
  readonly plan: Plan;
  /** The entries of `tools/list`, sorted by name. */
  readonly tools: ToolEntry[];
  tool(name: string): Promise<LoadedTool>;
  /** The text of a prompt's message, by its number. */
  promptText(name: string, message: number): Promise<TextFunction>;
  /** Checks a server's replies to a method; undefined where the config declares no `result` for it. */
  replyValidator(serverId: string, method: string): Promise<Validator | undefined>;
}

/** The modules of one tool. */
export interface LoadedTool {
  handler: ToolDefinition;
  /** The names of its arguments, from its schema. */
  argumentNames: readonly string[];
  inputValidator: Validator;
  outputValidator: Validator;
  /** Its own text template, or the dialect's; undefined where the shape's lines are shown. */
  text: TextFunction | undefined;
  /** The dialect's text for refusals. */
  errorText: TextFunction | undefined;
}

/** Where a bundle comes from. */
export type BundleSource = { folder: string } | { bundle: Bundle };

const abi: Abi = { version: ABI_VERSION, tool: (definition) => definition };

/** Verifies a bundle against its manifest (and a pin) and loads it; throws a ConfigError with everything wrong. */
export async function loadBundle(
  source: BundleSource,
  options: { expect?: string } = {},
): Promise<LoadedBundle> {
  const raw = "folder" in source ? await bundleOnDisk(source.folder) : bundleInMemory(source.bundle);
  verifyBundle(raw, options.expect);
  const { bytes } = raw;
  const plan = jsonOf<Plan>(bytes, PLAN_FILE);
  const tools = jsonOf<ToolEntry[]>(bytes, TOOLS_FILE);
  const answers = bytes.has(ANSWERS_FILE) ? jsonOf(bytes, ANSWERS_FILE) : {};
  const replies = bytes.has(REPLIES_FILE) ? jsonOf(bytes, REPLIES_FILE) : {};
  verifyTools(plan, tools, answers, bytes);
  const load = importFromBundle(bytes);
  const openTool = async (name: string): Promise<LoadedTool> => {
    const output = pathIn(answers, [name]);
    if (output === undefined) throw new Fault(`the bundle names no validator for the answers of ${name}`);
    const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties;
    const handler = ((await load(bundlePaths.handler(name))) as HandlerModule)(abi);
    if (handler.name !== name) throw new Fault(`the handler of ${name} calls itself ${handler.name}`);
    const text = hasText(plan, name) ? await load(bundlePaths.text(name)) : undefined;
    const errorText = plan.dialect.errors.text === null ? undefined : await load(ERROR_TEXT_FILE);
    return {
      handler,
      argumentNames: isTable(properties) ? Object.keys(properties) : [],
      inputValidator: (await load(bundlePaths.inputValidator(name))) as Validator,
      outputValidator: (await load(output)) as Validator,
      text: text as TextFunction | undefined,
      errorText: errorText as TextFunction | undefined,
    };
  };
  const opened = new Map<string, Promise<LoadedTool>>();
  return {
    manifest: raw.manifest,
    plan,
    tools,
    tool(name) {
      const tool = opened.get(name) ?? openTool(name);
      opened.set(name, tool);
      return tool;
    },
    promptText: async (name, message) => (await load(bundlePaths.prompt(name, message))) as TextFunction,
    async replyValidator(serverId, method) {
      const path = pathIn(replies, [serverId, method]);
      return path === undefined ? undefined : ((await load(path)) as Validator);
    },
  };
}

/** The path of a module in one of the bundle's tables. */
function pathIn(table: unknown, keys: string[]): string | undefined {
  const path = getAt(table, keys);
  return typeof path === "string" ? path : undefined;
}

/** Imports a module's default export from the bytes in memory, each module once. */
function importFromBundle(bytes: BundleBytes): (path: string) => Promise<unknown> {
  const loaded = new Map<string, Promise<unknown>>();
  return (path) => {
    const module = loaded.get(path) ?? importBytes(path, bytes.get(path));
    loaded.set(path, module);
    return module;
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

/** Whether a tool has a text template, its own or the dialect's. */
function hasText({ tools, dialect }: Plan, name: string): boolean {
  return dialect.text !== null || tools.some((tool) => tool.name === name && tool.text !== null);
}

/** A manifest may be consistent and still name too little: every listed tool needs its plan and its modules. */
function verifyTools(plan: Plan, tools: ToolEntry[], answers: unknown, bytes: BundleBytes): void {
  const planned = new Set(plan.tools.map((tool) => tool.name));
  const lacking = tools.flatMap(({ name }) => [
    ...(planned.has(name) ? [] : [`the plan of ${name}`]),
    ...[
      bundlePaths.handler(name),
      bundlePaths.inputValidator(name),
      pathIn(answers, [name]) ?? `the entry of ${name} in ${ANSWERS_FILE}`,
      ...(hasText(plan, name) ? [bundlePaths.text(name)] : []),
    ].filter((path) => !bytes.has(path)),
  ]);
  if (lacking.length > 0)
    throw new ConfigError(
      lacking.map((what) => bundleProblem("bundle/missing", `The bundle lacks ${what}.`)),
    );
}
