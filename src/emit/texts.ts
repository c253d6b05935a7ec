/** The text functions of a bundle: one per tool that words its own `content`, and one for refusals. */
import { type BundleFile, bundlePaths, ERROR_TEXT_FILE } from "../abi/bundle.js";
import { ABI_VERSION, type Plan, type ToolPlan } from "../abi/plan.js";
import { nearest } from "../base/nearest.js";
import { sortedSet } from "../base/order.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { inspectModule } from "./inspect.js";
import { render, type Templates } from "./render.js";
import { BadTemplate, templateStatements } from "./text-template.js";

const folder = "text/";
const fix = "Use one of the templates in `templates/text/`, or mend the text.";

/** The texts that these tools and the dialect ask for. Throws a ConfigError with every template that cannot be used. */
export function textFiles(plan: Plan, tools: readonly ToolPlan[], templates: Templates): BundleFile[] {
  const problems: Problem[] = [];
  const files: BundleFile[] = [];
  const add = (path: string, what: string, text: string, pointer: string) => {
    try {
      files.push({ path, text: emitText(text, what, templates) });
    } catch (error) {
      if (!(error instanceof BadTemplate)) throw error;
      problems.push({ code: "plan/bad-text", severity: "error", message: error.message, pointer, fix });
    }
  };
  const { text: common, errors } = plan.dialect;
  for (const tool of tools) {
    if (tool.text !== null)
      add(bundlePaths.text(tool.name), `the text of ${tool.name}`, tool.text, `${tool.source.pointer}/text`);
    else if (common !== null)
      add(bundlePaths.text(tool.name), `the text of ${tool.name}`, common, "/dialect/text");
  }
  if (errors.text !== null) add(ERROR_TEXT_FILE, "the text of refusals", errors.text, "/dialect/errors/text");
  if (problems.length > 0) throw new ConfigError(unique(problems));
  return files;
}

/** The module of one text. */
export function emitText(text: string, what: string, templates: Templates): string {
  const module = render(templates, "text.js", {
    abi: ABI_VERSION,
    subject: what,
    statements: templateStatements(sourceOf(text, templates)),
  });
  inspectModule(module, what);
  return module;
}

/** A single word names a shipped template; anything else is a template itself. */
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

/** A text that all tools share is wrong once. */
function unique(problems: readonly Problem[]): Problem[] {
  return problems.filter(
    (problem, index) => problems.findIndex(({ pointer }) => pointer === problem.pointer) === index,
  );
}
