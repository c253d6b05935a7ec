/** Numbers beyond their bounds, where a tool or the dialect says that they are lowered or raised rather than refused. */
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { Evidence } from "./evidence.js";

interface Bounds {
  name: string;
  minimum: number | null;
  maximum: number | null;
}

/** The arguments within their bounds; each that was not is told. */
export function clampNumbers(
  tool: ToolPlan,
  dialect: DialectPlan,
  input: JsonObject,
  evidence: Evidence,
): JsonObject {
  const out = { ...input };
  for (const { name, minimum, maximum } of clampedNames(tool, dialect)) {
    const asked = out[name];
    if (typeof asked !== "number") continue;
    const used = Math.max(minimum ?? asked, Math.min(maximum ?? asked, asked));
    if (used === asked) continue;
    out[name] = used;
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

function clampedNames(tool: ToolPlan, { listing }: DialectPlan): Bounds[] {
  const own = tool.args.filter((arg) => arg.beyond === "clamp");
  if (listing.beyond === "refuse") return own;
  if (tool.page !== null) return [...own, { name: listing.size, minimum: 1, maximum: tool.page.maxSize }];
  return [...own, { name: listing.most, minimum: 1, maximum: tool.maxItems }];
}
