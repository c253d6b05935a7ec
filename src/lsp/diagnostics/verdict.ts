/** What may be said of a document's diagnostics from what is known: found, clean or unknown. Clean is never said early. */
import { canonicalText, type Json } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import type { ReadinessState } from "../readiness.js";
import type { DiagnosticsReport } from "../types.js";

/** Why a report may lack what a server finds beside its answers. */
export const LATE = "what the server finds in the background, after it has answered, is not in yet";

/** Items that somebody said of a document. */
interface Said {
  items: Json[];
}

/** The server has spoken: what it said, once each, and whether it may say more. */
export function told(readiness: ReadinessState, items: Json[]): DiagnosticsReport {
  const unique = uniqueBy(items, canonicalText);
  const { now, atWork } = readiness;
  if (unique.length > 0)
    return { status: "diagnostics", why: atWork ? LATE : "", items: unique, readiness: now };
  if (readiness.awaitsStatus) return unknown(readiness, "the server has not said yet that it is ready", []);
  if (now === "indexing") return unknown(readiness, "the server is still indexing", []);
  if (atWork) return unknown(readiness, LATE, []);
  return { status: "clean", why: "", items: [], readiness: now };
}

/** Nothing can be told, and why; `items` are those of which it is not known whether they still hold. */
export function unknown(readiness: ReadinessState, why: string, items: Json[]): DiagnosticsReport {
  return { status: "unknown", why, items, readiness: readiness.now };
}

/** The time is over: what was found for this version, or why nothing can be told; `before` was said of an earlier state. */
export function tooLate(
  readiness: ReadinessState,
  published: Said | undefined,
  before: Said | undefined,
): DiagnosticsReport {
  if (published && published.items.length > 0)
    return {
      ...told(readiness, published.items),
      why: "the server may not have finished with this text",
    };
  if (published)
    return unknown(readiness, "the server has found nothing so far, and may not have finished", []);
  if (before) {
    const why = "other files changed, and the server did not say again what holds for this one";
    return unknown(readiness, why, before.items);
  }
  return unknown(readiness, "the server has published nothing for this version of the file", []);
}
