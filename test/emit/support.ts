/** Bundles for tests, and generated modules imported from their own bytes, as the runtime does it. */
import { fileURLToPath } from "node:url";
import { ANSWERS_FILE, type Bundle, type Validator } from "../../src/abi/bundle.js";
import type { HandlerModule } from "../../src/abi/handler.js";
import type { Plan } from "../../src/abi/plan.js";
import { ajvCompiler } from "../../src/emit/ajv-compiler.js";
import { emitBundle } from "../../src/emit/bundle.js";
import { readTemplates } from "../../src/emit/render.js";

export const templates = readTemplates(fileURLToPath(new URL("../../templates/", import.meta.url)));

export const compiler = ajvCompiler();

/** The bundle of a plan, made by a generator without a version. */
export function bundleOf(plan: Plan): Bundle {
  return emitBundle(plan, { templates, compiler, generator: "lsp-proxy test" });
}

/** The text of a bundle's file. */
export function textOf(bundle: Bundle, path: string): string {
  const file = bundle.files.find((candidate) => candidate.path === path);
  if (!file) throw new Error(`no ${path} in ${bundle.files.map((candidate) => candidate.path).join(", ")}`);
  return file.text;
}

/** The text of the module that checks a tool's answers. */
export function answersText(bundle: Bundle, tool: string): string {
  const paths = JSON.parse(textOf(bundle, ANSWERS_FILE)) as Record<string, string>;
  return textOf(bundle, paths[tool] ?? tool);
}

/** The default export of a generated module. */
export async function importText<T>(text: string): Promise<T> {
  const module = (await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)) as {
    default: T;
  };
  return module.default;
}

export const importValidator = (text: string): Promise<Validator> => importText<Validator>(text);
export const importHandler = (text: string): Promise<HandlerModule> => importText<HandlerModule>(text);
