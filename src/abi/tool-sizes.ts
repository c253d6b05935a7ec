/** The size of each tool in a model's context: the bytes of its entry in `tools/list`. */
import type { ToolEntry } from "./bundle.js";
import type { Plan } from "./plan.js";
import type { ToolPlan } from "./tool-plan.js";

interface ToolSize {
  name: string;
  effect: ToolPlan["effect"];
  bytes: number;
}

export function toolSizes(tools: readonly ToolEntry[], plan: Plan): ToolSize[] {
  return tools.map(({ outputSchema, ...rest }) => {
    const { name } = rest;
    const entry = plan.dialect.outputSchemas ? { ...rest, outputSchema } : rest;
    const effect = plan.tools.find((tool) => tool.name === name)?.effect ?? "read";
    return { name, effect, bytes: Buffer.byteLength(JSON.stringify(entry)) };
  });
}
