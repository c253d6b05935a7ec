/** What every answer says of itself before its items: who answered, how ready, about which document, with what remarks. */
import type { JsonObject } from "../../base/json.js";
import type { Warning } from "../../base/problem.js";
import type { CallState } from "../call-state.js";
import type { DocumentEvidence } from "./evidence.js";

/** What is known of an answer before it is cut or paged. */
export interface Head {
  tool: string;
  serverId: string | null;
  readiness: string;
  dropped: number;
  isCut: boolean;
  document: JsonObject | undefined;
  /** The call's own arguments, where the dialect gives them back. */
  echo: JsonObject;
  /** The symbol of the name that the call gave. */
  symbol: JsonObject | undefined;
  /** The candidates, where a tool within this one must know which symbol is meant. */
  question: JsonObject[] | undefined;
  warnings: Warning[];
}

/** The evidence of a call, frozen. */
export function headOf(call: CallState): Head {
  const { evidence } = call;
  const { readiness, dropped, document } = evidence;
  const { warnings } = evidence;
  if (readiness === "indexing" || readiness === "starting")
    warnings.push({
      code: "answer/not-ready",
      message: `${readiness === "starting" ? "A" : "The"} language server is still ${readiness}; the answer may be incomplete.`,
    });
  for (const warning of snippetWarnings(call)) warnings.push(warning);
  if (dropped > 0)
    warnings.push({
      code: "answer/dropped",
      message: `${dropped} ${dropped === 1 ? "result lies" : "results lie"} outside the workspace and ${dropped === 1 ? "is" : "are"} not shown.`,
    });
  return {
    tool: call.tool.name,
    serverId: evidence.serverId,
    readiness,
    dropped,
    isCut: evidence.isCut,
    echo: call.plan.dialect.echo === null ? {} : { [call.plan.dialect.echo]: call.input },
    symbol: evidence.symbol,
    question: evidence.question,
    document: document && documentValue(call, document),
    warnings,
  };
}

function documentValue({ places }: CallState, { admitted, hash }: DocumentEvidence): JsonObject {
  const value = places.document(admitted);
  value.sha256 = hash;
  return value;
}

/** What is said of the texts beside the places of this very page. */
export function snippetWarnings({ places }: CallState): Warning[] {
  if (!places.isSnippetCut) return [];
  const message = "A text beside a place is longer than it may be; it was cut around the place.";
  return [{ code: "answer/snippet-cut", message }];
}

/** The head without what holds for one page only. */
export function sharedHead(head: Head): Head {
  return { ...head, warnings: head.warnings.filter(({ code }) => code !== "answer/snippet-cut") };
}
