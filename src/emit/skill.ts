/** Texts about the proxy for agents: a skill file, and a section for `AGENTS.md`. They name listed tools only. */
import type { Anchor, DialectPlan, Plan, ToolPlan } from "../abi/plan.js";
import { languageNames } from "../plan/surface.js";
import { render, type Templates } from "./render.js";
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
    procedures: proceduresFor(reading, dialect),
  });
}

/** The tools of the bounded procedures by what they do; undefined unless there is one for each, with pages for the lists. */
function proceduresFor(tools: readonly ToolPlan[], { listing }: DialectPlan) {
  const first = (isWanted: (tool: ToolPlan) => boolean) => tools.find(isWanted)?.name;
  const asking = (method: string, anchor: Anchor) =>
    first(
      ({ input, steps }) =>
        input.includes(anchor) && steps.some((step) => step.kind === "request" && step.method === method),
    );
  const shaped = (shape: ToolPlan["output"]["shape"]) => first(({ output }) => output.shape === shape);
  const names = {
    search: asking("workspace/symbol", "query"),
    definition: asking("textDocument/definition", "position"),
    references: asking("textDocument/references", "position"),
    hover: asking("textDocument/hover", "position"),
    outline: asking("textDocument/documentSymbol", "document"),
    errors: shaped("diagnostics"),
    allErrors: shaped("workspace_diagnostics"),
  };
  const paged = [names.references, names.allErrors].every((name) =>
    tools.some((tool) => tool.name === name && tool.page !== null),
  );
  const isWhole = paged && Object.values(names).every((name) => name !== undefined);
  return isWhole ? { ...names, size: listing.size, cursor: listing.cursor } : undefined;
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
