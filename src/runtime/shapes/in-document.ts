/** What shapes of one document share: its entries with their server, and whether a place lies in the range asked for. */
import type { LanguageServer } from "../../lsp/types.js";
import { toSpan } from "../answer/places.js";
import type { ReplyData } from "../ask/reply.js";
import type { CallState } from "../call-state.js";
import { garbled, type LspRange, listOf } from "../lsp-values.js";
import { isBefore } from "../point/symbols.js";

/** One entry of a reply about a document. */
export interface DocumentEntry {
  server: LanguageServer;
  uri: string;
  entry: unknown;
}

/** The entries of all parts of a reply about the call's document; `what` names them when they are none. */
export function documentEntries(
  reply: ReplyData,
  call: CallState,
  what: string,
  entriesOf: (value: unknown) => unknown[] = listOf,
): DocumentEntry[] {
  const uri = call.evidence.document?.admitted.uri;
  return reply.parts.flatMap(({ server, value }) => {
    if (server === undefined || uri === undefined) throw garbled(server, what);
    return entriesOf(value).map((entry) => ({ server, uri, entry }));
  });
}

/** Whether a server's range touches the range that the call names; without one, everything does. */
export function isAskedFor(call: CallState, server: LanguageServer, range: LspRange): boolean {
  const target = call.evidence.target;
  if (target?.range === undefined) return true;
  const { start, end } = toSpan(target.document.lines, range, server.encoding, "utf-16");
  return !isBefore(end, target.range.start) && !isBefore(target.range.end, start);
}
