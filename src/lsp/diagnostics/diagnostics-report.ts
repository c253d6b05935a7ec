/** Builds the report on a document from what is known: diagnostics, clean or unknown. Clean is never reported early. */
import { canonicalText, type Json } from "../../base/json.js";
import { uniqueByInTurns } from "../../base/order.js";
import { Turns } from "../../base/timing.js";
import type { ReadinessState } from "../readiness.js";
import type { DiagnosticsReport } from "../types.js";

/** Why a report may lack results of background checks. */
export const BACKGROUND_CHECKS_PENDING = "the results of the server's background checks have not arrived yet";

/** The report when the server has reported: its items without duplicates, and whether more may follow. */
export async function reportOf(
  readiness: ReadinessState,
  items: Json[],
  signal: AbortSignal,
): Promise<DiagnosticsReport> {
  const unique = await uniqueByInTurns(items, canonicalText, new Turns(signal));
  const { now, isWorking } = readiness;
  if (unique.length > 0)
    return {
      status: "diagnostics",
      why: isWorking ? BACKGROUND_CHECKS_PENDING : "",
      items: unique,
      readiness: now,
    };
  if (readiness.awaitsStatus) return unknownReport(readiness, "the server has not reported that it is ready");
  if (now === "indexing") return unknownReport(readiness, "the server is still indexing");
  if (isWorking) return unknownReport(readiness, BACKGROUND_CHECKS_PENDING);
  return { status: "clean", why: "", items: [], readiness: now };
}

/** The report when nothing is certain; `items` may or may not hold any more. */
export function unknownReport(readiness: ReadinessState, why: string, items: Json[] = []): DiagnosticsReport {
  return { status: "unknown", why, items, readiness: readiness.now };
}

/** The report when the time is over: `published` is for this version, `before` for an earlier state of the files. */
export async function timedOutReport(
  readiness: ReadinessState,
  published: { items: Json[] } | undefined,
  before: { items: Json[] } | undefined,
  signal: AbortSignal,
): Promise<DiagnosticsReport> {
  if (published && published.items.length > 0)
    return {
      ...(await reportOf(readiness, published.items, signal)),
      why: "the server may not have finished with this text",
    };
  if (published)
    return unknownReport(readiness, "the server has found nothing so far, and may not have finished");
  if (before) {
    const why = "other files changed, and the server did not report again on this one";
    return unknownReport(readiness, why, before.items);
  }
  return unknownReport(readiness, "the server has published nothing for this version of the file");
}
