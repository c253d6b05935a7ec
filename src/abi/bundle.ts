/** The Bundle: what the generator writes and the runtime verifies. Paths use `/` and are sorted. */
import type { JsonObject } from "../base/json.js";

export interface BundleFile {
  path: string;
  text: string;
}

/** All files of a bundle but the manifest, sorted by path, with the manifest that names them. */
export interface Bundle {
  files: BundleFile[];
  manifest: Manifest;
}

export interface Manifest {
  abi: number;
  generator: string;
  /** Digest of `plan.json`. */
  plan: string;
  /** Path → digest of every file but the manifest. */
  files: { [path: string]: string };
  /** Digest of the canonical text of the members above: the name of the whole bundle. */
  bundle: string;
}

/** One entry of `tools.json`: what `tools/list` says of a tool. */
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

/** A generated validator: a standalone Ajv function. */
export interface Validator {
  (value: unknown): boolean;
  errors?: { instancePath: string; keyword: string; message?: string; params: JsonObject }[] | null;
}

export const MANIFEST_FILE = "manifest.json";
export const PLAN_FILE = "plan.json";
export const TOOLS_FILE = "tools.json";
/** Tool → the module that checks its answers; tools whose answers have equal schemas share one. */
export const ANSWERS_FILE = "answers.json";
/** Server → method → the module that checks its replies; only where the config declares results of methods. */
export const REPLIES_FILE = "replies.json";
/** The tool catalogue for people. */
export const CATALOGUE_FILE = "TOOLS.md";

/** Where a bundle stands, beside its folder, while it is being replaced: a writer that died leaves it there whole. */
export function replacedBundle(name: string): string {
  return `.${name}.old`;
}

/** A generated text: what an answer says, from its structure. */
export type TextFunction = (view: JsonObject) => string;

/** How a refusal reads, when the dialect words it. */
export const ERROR_TEXT_FILE = "error-text.js";

/** Where each file of a tool stands in a bundle. */
export const bundlePaths = {
  handler: (tool: string) => `handlers/${tool}.js`,
  inputSchema: (tool: string) => `schemas/${tool}.input.json`,
  outputSchema: (tool: string) => `schemas/${tool}.output.json`,
  inputValidator: (tool: string) => `validators/${tool}.input.js`,
  text: (tool: string) => `texts/${tool}.js`,
  answerValidator: (schemaHash: string) => `validators/answer-${schemaHash.slice(0, 16)}.js`,
  replyValidator: (schemaHash: string) => `validators/reply-${schemaHash.slice(0, 16)}.js`,
};
