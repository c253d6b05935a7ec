/** Symbols of the whole workspace. A symbol without a range in the reply is shown without one. */
import { workspaceSymbolsFacts } from "../../protocol/shapes/symbols.js";
import { byFile, rangeText } from "../answer/answer-text.js";
import { garbled, type ReplyData } from "../ask/candidates.js";
import { collect } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { type FoundSymbol, workspaceSymbols } from "../point/symbols.js";
import { symbolLine } from "./document-symbols.js";
import type { Shape } from "./shape.js";
import { symbolKind } from "./symbol-items.js";

/** The shape `workspace_symbols`. */
export const workspaceSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const kind = symbolKind(workspaceSymbolsFacts, call.plan.dialect, { isNamed: true });
    const files = await collect(call, kind, symbolsIn(reply), { dropped: "items" });
    return { list: new ItemList(kind, files), beside: {} };
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
