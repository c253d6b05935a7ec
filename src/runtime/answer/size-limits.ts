/** How large an answer may be: characters, bytes and items. */
import type { Answer } from "../../abi/handler.js";
import type { Json } from "../../base/json.js";
import type { CallState } from "../call-state.js";

/** The size limits of one answer. */
export interface SizeLimits {
  /** Characters of the forms that are sent, together. */
  total: number;
  /** Characters of each of them. */
  page: number;
  /** Characters of the text. */
  text: number;
  /** Bytes of each of them. */
  bytes: number;
  hasStructure: boolean;
  hasText: boolean;
}

/**
 * The size limits of a call. A budget that the tool declares or the call asks for holds up to the hard limit; without
 * one an answer is a page that any client can show.
 */
export function sizeLimits({ plan, tool, evidence }: CallState, asked: Json | undefined): SizeLimits {
  const { limits, dialect } = plan;
  const { maxTotalCharsHard: hard } = limits;
  const wanted = typeof asked === "number" ? asked : limits.maxTotalChars;
  if (wanted > hard)
    evidence.warn("answer/clamped", `${wanted} characters were asked for; ${hard} are the most.`, {
      requested: wanted,
      effective: hard,
      hard,
    });
  const total = Math.min(wanted, hard);
  const isPaged = tool.output.maxChars === null;
  return {
    total,
    page: isPaged ? Math.min(limits.maxPageChars, total) : total,
    text: isPaged ? Math.min(limits.maxTextChars, total) : total,
    bytes: Math.min(tool.maxBytes, limits.maxBytes),
    hasStructure: dialect.result !== "text" || dialect.outputSchemas,
    hasText: dialect.result !== "structured",
  };
}

/** The largest number of items in one answer of the call. */
export function pageSize({ plan, tool, input }: CallState): number {
  const { page, maxItems } = tool;
  if (page === null) return maxItems;
  const asked = input[plan.dialect.listing.size];
  return Math.min(typeof asked === "number" ? asked : page.defaultSize, page.maxSize, maxItems);
}

/** The character budget that the tool declares or the call asks for. */
export function askedChars({ tool, input }: CallState): Json | undefined {
  const { maxChars } = tool.output;
  if (maxChars?.kind === "literal") return maxChars.value;
  return maxChars?.kind === "ref" && maxChars.ref.name !== null ? input[maxChars.ref.name] : undefined;
}

/** Whether the forms of an answer that are sent keep the limits. */
export function fits(answer: Answer, limits: SizeLimits): boolean {
  const structure = limits.hasStructure ? JSON.stringify(answer.structured) : "";
  const text = limits.hasText ? `${answer.text}${answer.notes}` : "";
  return (
    structure.length + text.length <= limits.total &&
    structure.length <= limits.page &&
    text.length <= Math.min(limits.page, limits.text) &&
    Buffer.byteLength(structure) <= limits.bytes &&
    Buffer.byteLength(text) <= limits.bytes
  );
}

/**
 * What `attempt` gives for the largest count up to `most` for which it gives anything. Binary search: once `attempt`
 * gives nothing, it must give nothing for larger counts.
 */
export function largest<T>(most: number, attempt: (count: number) => T | undefined): T | undefined {
  let best = attempt(most);
  if (best !== undefined) return best;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const found = attempt(middle);
    if (found === undefined) high = middle;
    else [low, best] = [middle, found];
  }
  return best;
}
