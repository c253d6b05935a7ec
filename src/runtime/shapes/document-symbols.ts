/** The symbols of one file, nested or flat: each begins at its name and ends with its declaration. */
import type { Json } from "../../base/json.js";
import { documentSymbolsFacts } from "../../protocol/shapes/document-symbols.js";
import type { ReplyData } from "../ask/reply.js";
import type { CallState } from "../call-state.js";
import { collect } from "../listing/collect.js";
import type { Row } from "../listing/row.js";
import { RowList } from "../listing/row-list.js";
import { garbled } from "../lsp-values.js";
import { documentSymbols } from "../point/symbols.js";
import type { Shape } from "./shape.js";
import { rangeText, table, textOf } from "./spelt.js";
import { type SymbolWords, symbolKind, symbolRow } from "./symbol-rows.js";

const what = "the symbols of a file";

/** The shape `document_symbols`. */
export const documentSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const document = call.evidence.document?.admitted;
    const kind = symbolKind(documentSymbolsFacts, call.plan.dialect, { isNamed: false });
    const rows = await collect(call, kind, symbolsIn(reply, call), {
      isHere: ({ path }) => path === document?.path,
      dropped: "rows",
    });
    return { list: new RowList(rows), beside: {} };
  },
  text: (items, _beside, dialect) => items.map((item) => symbolLine(item, rangeText(item, dialect))),
};

function* symbolsIn(reply: ReplyData, { evidence }: CallState): Iterable<Row<SymbolWords>> {
  const uri = evidence.document?.admitted.uri;
  for (const { server, value } of reply.parts) {
    if (server === undefined || uri === undefined) throw garbled(server, what);
    for (const symbol of documentSymbols(server, uri, value)) {
      if (symbol.range === undefined) throw garbled(server, what);
      yield symbolRow(symbol);
    }
  }
}

/** `12:3-20:1  method Type/name`. */
export function symbolLine(item: Json, range: string): string {
  const { name, kind, container } = table(item);
  const path = container === undefined ? textOf(name) : `${textOf(container)}/${textOf(name)}`;
  return `${range}  ${textOf(kind)} ${path}`.trimStart();
}
