/** Emits the text functions of a bundle: one per tool with a text template, and one for refusals. */
import { type BundleFile, bundlePaths, ERROR_TEXT_FILE } from "../abi/bundle.js";
import { ABI_VERSION, type DialectPlan, type Plan, type ToolPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortedSet, uniqueBy } from "../base/order.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { inspectModule } from "./code-text.js";
import { render, type Templates } from "./render.js";
import { answerView, checkFields, promptView, refusalView } from "./text-fields.js";
import { BadTemplate, fillTemplate, templateStatements } from "./text-template.js";

const folder = "text/";
const fix = "Use one of the templates in `templates/text/`, or correct the text.";

interface TextSource {
  path: string;
  what: string;
  text: string;
  /** Where the config declares it. Tools are named in the pointer, not numbered. */
  pointer: string;
  /** The schema of its view model. */
  view: JsonObject;
}

/** The text functions of the tools and the dialect. Throws a ConfigError with all bad templates. */
export function textFiles(plan: Plan, tools: readonly ToolPlan[], templates: Templates): BundleFile[] {
  const problems = textProblems(plan, tools, templates);
  if (problems.length > 0) throw new ConfigError(problems);
  return textSources(plan, tools).map(({ path, what, text }) => ({
    path,
    text: emitText(text, what, templates),
  }));
}

/** The problems of the templates. A template that several tools share is reported once. */
export function textProblems(plan: Plan, tools: readonly ToolPlan[], templates: Templates): Problem[] {
  const all = textSources(plan, tools);
  return uniqueBy(all, ({ pointer }) => pointer).flatMap(({ what, text, pointer }): Problem[] => {
    try {
      emitText(text, what, templates);
      const views = all.flatMap((other) => (other.pointer === pointer ? [other.view] : []));
      checkFields(sourceOf(text, templates), views);
      return [];
    } catch (error) {
      if (!(error instanceof BadTemplate)) throw error;
      return [{ code: "plan/bad-text", severity: "error", message: error.message, pointer, fix }];
    }
  });
}

/** The messages of each prompt, with a text for each argument. Throws a ConfigError with all bad templates. */
export function promptTexts(plan: Plan, templates: Templates, shown: (arg: string) => string): string[][] {
  const problems = textProblems(plan, [], templates);
  if (problems.length > 0) throw new ConfigError(problems);
  return plan.prompts.map(({ args, messages }) => {
    const view = Object.fromEntries(args.map(({ name }) => [name, shown(name)]));
    return messages.map(({ text }) => fillTemplate(sourceOf(text, templates), view).trim());
  });
}

function promptSources({ prompts }: Plan): TextSource[] {
  return prompts.flatMap(({ name, args, messages }) =>
    messages.map(({ text }, index) => ({
      path: bundlePaths.prompt(name, index),
      what: `a message of the prompt ${name}`,
      text,
      pointer: `/prompts/${name}/messages/${index}/text`,
      view: promptView(args),
    })),
  );
}

function textSources(plan: Plan, tools: readonly ToolPlan[]): TextSource[] {
  const { dialect } = plan;
  const own = promptSources(plan).concat(toolSources(dialect, tools));
  const { text } = dialect.errors;
  if (text === null) return own;
  return [
    ...own,
    {
      path: ERROR_TEXT_FILE,
      what: "the text of refusals",
      text,
      pointer: "/dialect/errors/text",
      view: refusalView(dialect),
    },
  ];
}

function toolSources(dialect: DialectPlan, tools: readonly ToolPlan[]): TextSource[] {
  return tools.flatMap((tool): TextSource[] => {
    const text = tool.text ?? dialect.text;
    if (text === null) return [];
    const pointer = tool.text === null ? "/dialect/text" : `${tool.source.pointer}/text`;
    const view = answerView(tool, dialect);
    return [{ path: bundlePaths.text(tool.name), what: `the text of ${tool.name}`, text, pointer, view }];
  });
}

/** The module of one text function. */
export function emitText(text: string, what: string, templates: Templates): string {
  const module = render(templates, "text.js", {
    abi: ABI_VERSION,
    subject: what,
    statements: templateStatements(sourceOf(text, templates)),
  });
  inspectModule(module, what);
  return module;
}

/** A single word is the name of a shipped template; anything else is a template. */
function sourceOf(text: string, templates: Templates): string {
  if (!/^[a-z][a-z0-9_-]*$/.test(text)) return text;
  const name = `${folder}${text}`;
  const source = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (source !== undefined) return source;
  const known = sortedSet(Object.keys(templates).filter((key) => key.startsWith(folder))).map((key) =>
    key.slice(folder.length),
  );
  const near = nearest(text, known);
  throw new BadTemplate(
    `There is no text template \`${text}\`.${near === undefined ? ` Known: ${known.join(", ")}.` : ` Did you mean \`${near}\`?`}`,
  );
}
