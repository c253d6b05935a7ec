/** The list of tools for people (`TOOLS.md`): each with its arguments, its output shape and its LSP requests. */
import type { DialectPlan, Plan, StepPlan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { inputSchema } from "./input-schema.js";
import { render, type Templates } from "./render.js";

/** The tools that clients see. */
export function listedTools({ tools, mcp }: Plan): ToolPlan[] {
  const names = new Set(mcp.listed);
  return tools.filter((tool) => names.has(tool.name));
}

/** The Markdown text for the listed tools. */
export function emitCatalogue(
  tools: readonly ToolPlan[],
  dialect: DialectPlan,
  templates: Templates,
): string {
  return render(templates, "tools.md", { tools: toolViews(tools, dialect) });
}

/** The view models of the tools. */
export function toolViews(tools: readonly ToolPlan[], dialect: DialectPlan) {
  return tools.map((tool, index) => ({ ...toolView(tool, dialect), more: index < tools.length - 1 }));
}

function toolView(tool: ToolPlan, dialect: DialectPlan) {
  const args = argumentViews(inputSchema(tool, dialect));
  return {
    name: tool.name,
    description: tool.description,
    effect: tool.effect,
    shape: tool.output.shape,
    servers: tool.servers === null ? "" : ` · Servers: ${tool.servers.map((id) => `\`${id}\``).join(", ")}`,
    hasArguments: args.length > 0,
    arguments: args,
    steps: tool.steps.map((step, index) => ({ number: index + 1, text: stepText(step) })),
  };
}

function argumentViews(schema: JsonObject) {
  const properties = isTable(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const facts = isTable(property) ? property : {};
    return {
      name,
      type: String(facts.type),
      need: required.includes(name) ? "required" : "",
      meaning: typeof facts.description === "string" ? facts.description : "",
    };
  });
}

function stepText(step: StepPlan): string {
  switch (step.kind) {
    case "request":
      return `\`${step.method}\`${step.each ? `, for each item of \`${step.each.from.name}\`` : ""}`;
    case "notify":
      return `\`${step.method}\`, a notification`;
    case "diagnostics":
      return "diagnostics that the server returns on request or publishes";
    case "execute_command":
      return "`workspace/executeCommand`, allowed names only";
    case "tool":
      return `the tool \`${step.tool}\``;
    case "batch":
      return "calls of other tools, which the client lists";
    case "choose":
      return `the item of \`${step.from.name}\` with the id that is asked for`;
    case "runtime":
      return `the runtime action \`${step.action}\``;
  }
}
