/** What every answer says before its items: which servers answered, how ready they were, which document, which warnings. */
import type { JsonObject } from "../../base/json.js";
import type { Warning } from "../../base/problem.js";
import type { CallState } from "../call-state.js";

/** The header of an answer, fixed before the answer is cut or paged. */
export interface Header {
  tool: string;
  serverId: string | null;
  readiness: string;
  dropped: number;
  isCut: boolean;
  document: JsonObject | undefined;
  /** The call's own arguments, where the dialect echoes them. */
  echo: JsonObject;
  /** The symbol that the call named. */
  symbol: JsonObject | undefined;
  /** The candidates, where a tool within this one needs to know which symbol is meant. */
  question: JsonObject[] | undefined;
  warnings: Warning[];
}

/** The header of a call's answer, from its evidence so far. */
export function headerOf(call: CallState): Header {
  const { evidence, plan, places } = call;
  const { readiness, dropped, document } = evidence;
  return {
    tool: call.tool.name,
    serverId: evidence.serverId,
    readiness,
    dropped,
    isCut: evidence.isCut,
    echo: plan.dialect.echo === null ? {} : { [plan.dialect.echo]: call.input },
    symbol: evidence.symbol,
    question: evidence.question,
    document: document && { ...places.document(document.admitted), sha256: document.hash },
    warnings: [
      ...evidence.warnings,
      ...readinessWarnings(readiness),
      ...snippetWarnings(call),
      ...droppedWarnings(dropped),
    ],
  };
}

function readinessWarnings(readiness: string): Warning[] {
  if (readiness !== "indexing" && readiness !== "starting") return [];
  const server = `${readiness === "starting" ? "A" : "The"} language server`;
  const message = `${server} is still ${readiness}; the answer may be incomplete.`;
  return [{ code: "answer/not-ready", message }];
}

function droppedWarnings(dropped: number): Warning[] {
  if (dropped === 0) return [];
  const [lie, are] = dropped === 1 ? ["result lies", "is"] : ["results lie", "are"];
  const message = `${dropped} ${lie} outside the workspace and ${are} not shown.`;
  return [{ code: "answer/dropped", message }];
}

/** Warnings about the snippets of this page only. */
export function snippetWarnings({ places }: CallState): Warning[] {
  if (!places.isSnippetCut) return [];
  const message = "A snippet was longer than allowed and was cut around its range.";
  return [{ code: "answer/snippet-cut", message }];
}

/** The header without the warnings that belong to one page only. */
export function sharedHeader(header: Header): Header {
  return { ...header, warnings: header.warnings.filter(({ code }) => code !== "answer/snippet-cut") };
}
