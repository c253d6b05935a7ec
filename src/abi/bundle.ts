/**
 * Types, file names and the limit of a bundle, the compiled form of a config: plan, tool list, handlers, validators,
 * manifest. The generator writes it and the runtime verifies it. Paths use `/` and are sorted.
 */
import type { JsonObject } from "../base/json.js";

export interface BundleFile {
  path: string;
  text: string;
}

/** All files of a bundle except the manifest, sorted by path, and the manifest. */
export interface Bundle {
  files: BundleFile[];
  manifest: Manifest;
}

export interface Manifest {
  abi: number;
  generator: string;
  /** Digest of `plan.json`. */
  plan: string;
  /** Path → digest of every file except the manifest. */
  files: { [path: string]: string };
  /** Digest of the canonical text of the members above; it identifies the bundle. */
  bundle: string;
}

/** One entry of `tools.json`: the tool as `tools/list` shows it. */
export interface ToolEntry {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint?: boolean;
    openWorldHint: boolean;
  };
}

/** A generated validator: a standalone function that Ajv compiled. */
export interface Validator {
  (value: unknown): boolean;
  errors?:
    | { instancePath: string; schemaPath?: string; keyword: string; message?: string; params: JsonObject }[]
    | null;
}

/** No file of a bundle is larger. */
export const MAX_FILE_BYTES = 67_108_864;

export const MANIFEST_FILE = "manifest.json";
export const PLAN_FILE = "plan.json";
export const TOOLS_FILE = "tools.json";
/** Tool → path of the validator of its answers. Tools with equal answer schemas share one. */
export const ANSWERS_FILE = "answers.json";
/** Server → method → path of the validator of its replies. Only where the config declares results of methods. */
export const REPLIES_FILE = "replies.json";
/** The list of tools for people. */
export const CATALOGUE_FILE = "TOOLS.md";

/** Name of the folder that holds the old bundle while it is replaced. A crashed writer leaves it there, complete. */
export function replacedBundle(name: string): string {
  return `.${name}.old`;
}

/** A generated function that renders the text of an answer from its structured form. */
export type TextFunction = (view: JsonObject) => string;

/** Renders refusals, if the dialect has a template for them. */
export const ERROR_TEXT_FILE = "error-text.js";

/** Paths of the generated files in a bundle. */
export const bundlePaths = {
  handler: (tool: string) => `handlers/${tool}.js`,
  inputSchema: (tool: string) => `schemas/${tool}.input.json`,
  outputSchema: (tool: string) => `schemas/${tool}.output.json`,
  inputValidator: (tool: string) => `validators/${tool}.input.js`,
  prompt: (name: string, message: number) => `prompts/${name}.${message}.js`,
  text: (tool: string) => `texts/${tool}.js`,
  answerValidator: (schemaHash: string) => `validators/answer-${schemaHash.slice(0, 16)}.js`,
  replyValidator: (schemaHash: string) => `validators/reply-${schemaHash.slice(0, 16)}.js`,
};
