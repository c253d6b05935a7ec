/** Symbols of the whole workspace. One that nobody gave a range is shown without. */
import { workspaceSymbolsFacts } from "../../protocol/shapes/symbols.js";
import type { ReplyData } from "../ask/reply.js";
import { collect } from "../listing/collect.js";
import { RowList } from "../listing/row-list.js";
import { garbled } from "../lsp-values.js";
import { type FoundSymbol, workspaceSymbols } from "../point/symbols.js";
import { symbolLine } from "./document-symbols.js";
import type { Shape } from "./shape.js";
import { byFile, rangeText } from "./spelt.js";
import { symbolKind } from "./symbol-rows.js";

/** The shape `workspace_symbols`. */
export const workspaceSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const kind = symbolKind(workspaceSymbolsFacts, call.plan.dialect, { isNamed: true });
    const rows = await collect(call, kind, symbolsIn(reply), { dropped: "rows" });
    return { list: new RowList(rows), beside: {} };
  },
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [symbolLine(item, rangeText(item, dialect))]),
};

function* symbolsIn(reply: ReplyData): Iterable<FoundSymbol> {
  for (const { server, value } of reply.parts) {
    if (server === undefined) throw garbled(server, "a list of symbols");
    yield* workspaceSymbols(server, value);
  }
}
