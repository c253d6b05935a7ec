/** Diagnostics of one document, pulled from every provider that a server has for it. */
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Capabilities } from "../capabilities.js";
import type { OpenDocument, PartTaker, Readiness, RequestOptions } from "../types.js";
import { identifierOf, type PulledReports } from "./pulled-reports.js";

/** Asks a server for diagnostics. */
export type DiagnosticsRequest = (
  method: string,
  params: unknown,
  options: Pick<RequestOptions, "signal" | "roots"> & { timeoutMs: number; parts?: PartTaker },
) => Promise<{ value: unknown; readiness: Readiness }>;

interface PullContext {
  capabilities: Capabilities;
  pulled: PulledReports;
  request: DiagnosticsRequest;
}

/** Until when, and for whom, something is pulled. */
export interface PullWait extends Pick<RequestOptions, "signal" | "roots"> {
  deadline: number;
}

/** The items that every provider of the document gives now, or why they cannot be had. */
export async function pullDocument(
  context: PullContext,
  document: OpenDocument,
  wait: PullWait,
): Promise<Json[] | { why: string }> {
  const items: Json[] = [];
  try {
    for (const provider of context.capabilities.options("textDocument/diagnostic", document))
      items.push(...(await pullFrom(context, document, identifierOf(provider), wait)));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "call/cancelled" || error.code === "lsp/exited")
      throw error;
    return { why: error.message };
  }
  return items;
}

async function pullFrom(
  { pulled, request }: PullContext,
  document: OpenDocument,
  identifier: string | undefined,
  { deadline, signal, roots }: PullWait,
): Promise<Json[]> {
  const previousResultId = pulled.resultId(identifier, document.path);
  const params = {
    textDocument: { uri: document.uri },
    ...(identifier === undefined ? {} : { identifier }),
    ...(previousResultId === undefined ? {} : { previousResultId }),
  };
  const timeoutMs = Math.max(1, deadline - performance.now());
  const { value } = await request("textDocument/diagnostic", params, { signal, roots, timeoutMs });
  return pulled.keep(identifier, document.uri, value);
}
