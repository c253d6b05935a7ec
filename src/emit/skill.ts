/** What an agent is told about the proxy in a file: a skill, and a section of its memory. Only tools that the plan lists are named. */
import type { DialectPlan, Plan, ToolPlan } from "../abi/plan.js";
import { languageNames } from "../plan/surface.js";
import { render, type Templates } from "./render.js";

/** The skill's file. */
export function skillText(plan: Plan, templates: Templates): string {
  const { dialect, mcp } = plan;
  const listed = listedIn(plan);
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
    place: placeWords(dialect),
    symbol: listed.some(({ input }) => input.includes("symbol")) ? dialect.symbol.name : "",
    cursor: listed.some(({ page }) => page !== null) ? dialect.listing.cursor : "",
  });
}

/** The section for `AGENTS.md` and its like. */
export function snippetText(plan: Plan, templates: Templates): string {
  const names = listedIn(plan).map(({ name }) => `\`${name}\``);
  return render(templates, "skill/snippet.md", {
    name: plan.mcp.name,
    languages: languageNames(plan.servers),
    tools: names.length === 0 ? "" : `Its tools are ${names.join(", ")}.`,
  });
}

function listedIn({ tools, mcp }: Plan): ToolPlan[] {
  return tools.filter(({ name }) => mcp.listed.includes(name));
}

/** A tool in one sentence; what follows is about its arguments, and stands in its schema. */
function brief({ name, description }: ToolPlan): { name: string; description: string } {
  return { name, description: /^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description };
}

function describe(languages: string, isEditing: boolean): string {
  const where = languages === "" ? "code" : `code (${languages})`;
  const edits = isEditing ? ", and to rename, move or rewrite symbols safely" : "";
  return `Questions about ${where} answered by language servers: definitions, references, types, callers, errors. Use before text search whenever a symbol is meant, after edits to see what broke${edits}.`;
}

function placeWords({ position }: DialectPlan): string {
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
