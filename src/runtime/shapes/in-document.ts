/** What shapes about one document share: reading the entries of a reply, and the range that the call asked about. */
import { isTable, type Json } from "../../base/json.js";
import type { LanguageServer } from "../../lsp/types.js";
import { toSpan } from "../answer/places.js";
import { garbled, type LspRange, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { isBefore } from "../point/symbols.js";
import type { Normalized } from "./shape.js";

/** One entry of a reply about a document. */
export interface DocumentEntry {
  server: LanguageServer;
  uri: string;
  entry: unknown;
}

/** The entries of all parts of a reply about the call's document; `what` names them in a refusal. */
export function documentEntries(reply: ReplyData, call: CallState, what: string): DocumentEntry[] {
  const uri = call.evidence.document?.admitted.uri;
  return reply.parts.flatMap(({ server, value }) => {
    if (server === undefined || uri === undefined) throw garbled(server, what);
    return listOf(value).map((entry) => ({ server, uri, entry }));
  });
}

/** The items that `render` makes of the entries; it gives undefined for an entry that is left out. */
export async function documentItems(
  reply: ReplyData,
  call: CallState,
  what: string,
  render: (entry: Record<string, unknown>, server: LanguageServer, uri: string) => Promise<Json | undefined>,
): Promise<Normalized> {
  const items: Json[] = [];
  for (const { server, uri, entry } of documentEntries(reply, call, what)) {
    if (!isTable(entry)) throw garbled(server, what);
    const item = await render(entry, server, uri);
    if (item !== undefined) items.push(item);
  }
  return { items, beside: {} };
}

/** Whether a server's range touches the range that the call names; without one, every range does. */
export function isAskedFor(call: CallState, server: LanguageServer, range: LspRange): boolean {
  const target = call.evidence.target;
  if (target?.range === undefined) return true;
  const { start, end } = toSpan(target.document.lines, range, server.encoding, "utf-16");
  return !isBefore(end, target.range.start) && !isBefore(target.range.end, start);
}
