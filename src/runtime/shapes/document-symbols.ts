/** The symbols of one file, nested or flat: each from its name to the end of its declaration. */
import type { DialectPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import { documentSymbolsFacts } from "../../protocol/shapes/symbols.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { documentSymbols, type FoundSymbol } from "../point/symbols.js";
import type { Shape } from "./shape.js";
import { symbolKind } from "./symbol-items.js";

const what = "the symbols of a file";

/** The shape `document_symbols`. */
export const documentSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const document = call.evidence.document?.admitted;
    const kind = symbolKind(documentSymbolsFacts, call.plan.dialect, { isNamed: false });
    const files = await collect(call, kind, symbolsIn(reply, call), {
      isHere: ({ path }) => path === document?.path,
      dropped: "items",
    });
    return { list: new ItemList(kind, files), beside: {} };
  },
  text: outline,
};

function* symbolsIn(reply: ReplyData, { evidence }: CallState): Iterable<FoundSymbol> {
  const uri = evidence.document?.admitted.uri;
  for (const { server, value } of reply.parts) {
    if (server === undefined || uri === undefined) throw garbled(server, what);
    for (const symbol of documentSymbols(server, uri, value)) {
      if (symbol.range === undefined) throw garbled(server, what);
      yield symbol;
    }
  }
}

/** One line per symbol, indented under its container; the whole path where the container is not shown before it. */
function outline(items: Json[], _beside: JsonObject, dialect: DialectPlan): string[] {
  /** Paths of the containers that the next symbol may belong to, innermost last. */
  const open: string[] = [];
  return items.map((item) => {
    const { name, kind, container } = table(item);
    while (open.length > 0 && open.at(-1) !== container) open.pop();
    const path = pathOf(name, container);
    const range = rangeText(item, dialect);
    const line = `${"  ".repeat(open.length)}${range}  ${textOf(kind)} ${open.length === 0 ? path : textOf(name)}`;
    open.push(path);
    return line;
  });
}

function pathOf(name: Json | undefined, container: Json | undefined): string {
  return container === undefined ? textOf(name) : `${textOf(container)}/${textOf(name)}`;
}

/** `12:3-20:1  method Type/name`. */
export function symbolLine(item: Json, range: string): string {
  const { name, kind, container } = table(item);
  return `${range}  ${textOf(kind)} ${pathOf(name, container)}`.trimStart();
}
