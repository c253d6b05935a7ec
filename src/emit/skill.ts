/** Texts about the proxy for agents: a skill file, and a section for `AGENTS.md`. The tables name listed tools only. */
import type { DialectPlan, Plan, ToolPlan } from "../abi/plan.js";
import { languageNames } from "../plan/surface.js";
import { render, type Templates } from "./render.js";
import { promptTexts } from "./texts.js";
import { listedTools } from "./tools-page.js";

/** The text of `SKILL.md`. */
export function skillText(plan: Plan, templates: Templates): string {
  const { dialect, mcp } = plan;
  const listed = listedTools(plan);
  const reading = listed.filter(({ effect }) => effect === "read");
  const writing = listed.filter(({ effect }) => effect !== "read");
  const languages = languageNames(plan.servers);
  return render(templates, "skill/SKILL.md", {
    name: mcp.name,
    description: describe(languages, writing.length > 0),
    languages,
    reading: reading.map(brief),
    writing: writing.map(brief),
    isEditing: writing.some(({ effect }) => effect === "edit"),
    document: dialect.document.field,
    isUri: dialect.document.form === "uri",
    place: positionText(dialect),
    symbol: listed.some(({ input }) => input.includes("symbol")) ? dialect.symbol.name : "",
    cursor: listed.some(({ page }) => page !== null) ? dialect.listing.cursor : "",
    procedures: proceduresOf(plan, templates),
  });
}

/** The prompts of the config as procedures, for clients without prompts. An argument is shown by its name. */
function proceduresOf(plan: Plan, templates: Templates) {
  const texts = promptTexts(plan, templates, (arg) => `\`${arg}\``);
  return plan.prompts.map(({ name, title, description, args }, index) => ({
    name,
    title: title ?? name,
    description: description ?? "",
    args: args.map((arg) => ({ ...arg, description: arg.description ?? "" })),
    text: texts[index]?.join("\n\n") ?? "",
  }));
}

/** The section for `AGENTS.md` and similar files. */
export function snippetText(plan: Plan, templates: Templates): string {
  const names = listedTools(plan).map(({ name }) => `\`${name}\``);
  return render(templates, "skill/snippet.md", {
    name: plan.mcp.name,
    languages: languageNames(plan.servers),
    tools: names.length === 0 ? "" : `Its tools are ${names.join(", ")}.`,
  });
}

/** The first sentence of a tool's description. The rest is about its arguments. */
function brief({ name, description }: ToolPlan): { name: string; description: string } {
  return { name, description: /^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description };
}

function describe(languages: string, isEditing: boolean): string {
  const where = languages === "" ? "code" : `code (${languages})`;
  const edits = isEditing ? ", and to rename, move or rewrite symbols safely" : "";
  return `Questions about ${where} answered by language servers: definitions, references, types, callers, errors. Use before text search whenever a symbol is meant, after edits to see what broke${edits}.`;
}

function positionText({ position }: DialectPlan): string {
  const { form, line, character, lineBase, characterBase } = position;
  const names =
    form === "object"
      ? `\`position\` with \`${line}\` and \`${character}\``
      : `\`${line}\` and \`${character}\``;
  const count =
    lineBase === characterBase
      ? `both counted from ${lineBase}`
      : `counted from ${lineBase} and ${characterBase}`;
  return `a place in it is ${names}, ${count}.`;
}
