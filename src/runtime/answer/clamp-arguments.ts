/**
 * Clamps numeric arguments to their bounds, where a tool or the dialect says so instead of refusing them. The bound of
 * an answer's size is the smaller of the argument's own and the config's hard limit.
 */
import type { Plan, ToolPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import type { Evidence } from "./evidence.js";

interface Bounds {
  name: string;
  minimum: number | null;
  maximum: number | null;
}

/** The arguments within their bounds, with a warning for each that was changed. */
export function clampNumbers(tool: ToolPlan, plan: Plan, input: JsonObject, evidence: Evidence): JsonObject {
  let out = input;
  for (const { name, minimum, maximum } of clampedArguments(tool, plan)) {
    const asked = out[name];
    if (typeof asked !== "number") continue;
    const used = Math.min(maximum ?? Number.POSITIVE_INFINITY, Math.max(minimum ?? asked, asked));
    if (used === asked) continue;
    out = { ...out, [name]: used };
    const bound = used < asked ? "at most" : "at least";
    evidence.warn("answer/clamped", `\`${name}\` is ${bound} ${used}; ${asked} was asked for.`, {
      argument: name,
      requested: asked,
      effective: used,
      ...(maximum === null ? {} : { hard: maximum }),
      ...(minimum === null ? {} : { min: minimum }),
    });
  }
  return out;
}

function clampedArguments(tool: ToolPlan, { dialect: { listing }, limits }: Plan): Bounds[] {
  const { maxChars } = tool.output;
  const size = maxChars?.kind === "ref" ? maxChars.ref.name : null;
  const own = tool.args
    .filter((arg) => arg.beyond === "clamp")
    .map(({ name, minimum, maximum }) => ({
      ...{ name, minimum },
      maximum:
        name === size ? Math.min(maximum ?? limits.maxTotalCharsHard, limits.maxTotalCharsHard) : maximum,
    }));
  if (listing.beyond === "refuse") return own;
  if (tool.page !== null) return [...own, { name: listing.size, minimum: 1, maximum: tool.page.maxSize }];
  return [...own, { name: listing.most, minimum: 1, maximum: tool.maxItems }];
}
