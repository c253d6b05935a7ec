/**
 * The source of a symbol: the whole lines of its declarations, signature and body. A use, an import or a header's
 * declaration leads to the definition first.
 */
import type { Position, Range } from "vscode-languageserver-protocol";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Lines, PositionEncoding } from "../../base/text.js";
import type { LspMethod } from "../../protocol/methods.js";
import { toPoint } from "../answer/places.js";
import { requestCandidates } from "../ask/ask.js";
import { listOf, locationIn } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { isImport } from "../shapes/outline-filter.js";
import { symbolsIn } from "./find-symbol.js";
import { containerPath } from "./symbol-names.js";
import { type FoundSymbol, isBefore } from "./symbols.js";
import { openTarget, positionBase, type Target } from "./target.js";

interface Declaration {
  target: Target;
  symbol: FoundSymbol;
}

const DEFINITION: LspMethod = "textDocument/definition";

/** The declarations of the symbol that the call points at, each with its source. */
export async function symbolSource(call: CallState): Promise<JsonObject[]> {
  const { target, document } = call.evidence;
  if (target?.place === undefined) throw new Refusal("point/incomplete", "This tool needs a symbol.");
  const found = await declarationsAt(call, target, [target.place]);
  for (const [uri, starts] of await definitionsOf(call, target)) {
    const there = await openTarget(call, uri);
    found.push(...(await declarationsAt(call, there, starts)));
  }
  // The answer is about the document that the call named.
  call.evidence.document = document;
  const declared = found.filter(({ target, symbol }) => !isImport(symbol, target.document.lines));
  const shown = declared.length > 0 ? declared : found;
  const sources = await Promise.all(shown.map((declaration) => render(call, declaration)));
  if (sources.length > 0) return uniqueBy(sources, canonicalText);
  throw new Refusal("point/no-symbol", "The server reports no declaration with a range for this symbol.");
}

/** Where the definitions begin, by file, in UTF-16 columns; only files that may be shown. */
async function definitionsOf(call: CallState, target: Target): Promise<[string, Position[]][]> {
  const parts = await requestCandidates(call, target.candidates, DEFINITION, "first", (asked, limit) =>
    asked.server.request(DEFINITION, positionBase(target, asked), limit),
  ).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === "lsp/not-supported") return [];
    throw error;
  });
  const { sourceFiles } = call.plan.limits;
  const files = new Map<string, Position[]>();
  for (const { server, value } of parts) {
    if (server === undefined) continue;
    for (const location of listOf(value).flatMap((entry) => locationIn(entry) ?? [])) {
      const admitted = call.places.show(location.uri);
      if (admitted === undefined) {
        call.evidence.drop(location);
        continue;
      }
      if (files.size >= sourceFiles && !files.has(admitted.uri)) {
        call.evidence.truncated(`Only the definitions in ${sourceFiles} files are shown.`);
        continue;
      }
      const lines = await call.places.lines(server, admitted.uri);
      const start = inUtf16(lines, location.range.start, server.encoding);
      files.set(admitted.uri, [...(files.get(admitted.uri) ?? []), start]);
    }
  }
  return [...files];
}

/** The innermost declarations that have their name at the positions, or that contain them. */
async function declarationsAt(
  call: CallState,
  target: Target,
  positions: readonly Position[],
): Promise<Declaration[]> {
  const { lines } = target.document;
  const symbols = await symbolsIn(call, target);
  return positions.flatMap((position) => {
    const holding = (rangeOf: (symbol: FoundSymbol) => Range | undefined) =>
      symbols.filter((symbol) => {
        const range = rangeOf(symbol);
        if (range === undefined || symbol.range === undefined) return false;
        const start = inUtf16(lines, range.start, symbol.server.encoding);
        const end = inUtf16(lines, range.end, symbol.server.encoding);
        return !isBefore(position, start) && !isBefore(end, position);
      });
    const named = holding(({ details }) => details.selection);
    const flat =
      named.length > 0 ? named : holding(({ range, details }) => (details.selection ? undefined : range));
    const [inner] = sortBy(flat, ({ range }) => [
      range === undefined ? 0 : range.end.line - range.start.line,
    ]);
    return inner === undefined ? [] : [{ target, symbol: inner }];
  });
}

async function render(call: CallState, { target, symbol }: Declaration): Promise<JsonObject> {
  const { places } = call;
  const { range, server, details } = symbol;
  const { lines } = target.document;
  const item: JsonObject = {
    name: places.name(details.name),
    kind: details.kind,
    ...places.document(target.admitted),
  };
  if (range !== undefined) places.addRange(item, lines, server, range);
  if (details.container !== undefined) item.container = containerPath(details.container);
  item.source = range === undefined ? "" : wholeLines(lines, range);
  return item;
}

/** The lines of a range: what stands before a declaration on its line (`export const`) belongs to it. */
function wholeLines(lines: Lines, { start, end }: Range): string {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return lines.text.slice(lines.start(start.line), lines.start(last + 1)).trimEnd();
}

function inUtf16(lines: Lines | undefined, position: Position, encoding: PositionEncoding): Position {
  return toPoint(lines, position, encoding, "utf-16");
}
