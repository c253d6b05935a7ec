/**
 * A symbol by its name or name path: first among the symbols of the named file, then in the whole workspace. One match
 * is a place; several are a question back to the agent, never a guess.
 */
import type { JsonObject } from "../base/json.js";
import { canonicalText } from "../base/json.js";
import { uniqueBy } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { requestCircle } from "./ask.js";
import type { CallState } from "./call-state.js";
import { workspaceCircle } from "./circle.js";
import { toPoint } from "./convert.js";
import type { ReplyPart } from "./reply.js";
import { identifierOf, matchesName } from "./symbol-names.js";
import { documentSymbols, extentOf, type FoundSymbol, workspaceSymbols } from "./symbols.js";
import { openTarget, type Target } from "./target.js";

/** What an agent calls a symbol. */
export interface WantedSymbol {
  name: string;
  kind: string | undefined;
}

/** Several symbols have the name; the answer is the list of them. */
export class SeveralMatches extends Error {
  constructor(
    readonly wanted: WantedSymbol,
    readonly candidates: JsonObject[],
  ) {
    super(`several symbols are called ${wanted.name}`);
    this.name = "SeveralMatches";
  }
}

/** The document and place of a symbol; `within` is the document that the call named, if any. */
export async function findSymbol(
  call: CallState,
  wanted: WantedSymbol,
  within: Target | undefined,
): Promise<Target> {
  const here = within === undefined ? [] : await matchesIn(call, within, wanted);
  if (within !== undefined && here.length > 0)
    return placeAt(call, within, await theOnly(call, wanted, here));
  const symbol = await theOnly(call, wanted, await matchesAnywhere(call, wanted));
  const target = await openTarget(call, symbol.uri);
  if (within !== undefined && target.admitted.path !== within.admitted.path)
    call.evidence.warn(
      "answer/found-elsewhere",
      `${within.admitted.shown} does not declare ${wanted.name}; the one in ${target.admitted.shown} was used.`,
    );
  return placeAt(call, target, symbol);
}

async function matchesIn(call: CallState, target: Target, wanted: WantedSymbol): Promise<FoundSymbol[]> {
  const { uri } = target.document;
  const parts = await requestCircle(
    call,
    target.circle,
    "textDocument/documentSymbol",
    "first",
    (asked, turn) => asked.server.request("textDocument/documentSymbol", { textDocument: { uri } }, turn),
  ).catch(noParts);
  return matching(parts, wanted, (server, value) => documentSymbols(server, uri, value));
}

async function matchesAnywhere(call: CallState, wanted: WantedSymbol): Promise<FoundSymbol[]> {
  const query = identifierOf(wanted.name);
  const retryEmpty = { attempts: 5, delayMs: 200, while: "not_ready" as const };
  const parts = await requestCircle(call, workspaceCircle(call), "workspace/symbol", "all", (asked, turn) =>
    asked.server.request("workspace/symbol", { query }, { ...turn, retryEmpty, onProgress: call.onProgress }),
  ).catch(noParts);
  const found = matching(parts, wanted, workspaceSymbols);
  const shown = await Promise.all(found.map((symbol) => call.places.show(symbol.uri)));
  for (const [index, { name, kind, uri, range }] of found.entries()) {
    if (shown[index] === undefined) call.evidence.drop({ name, kind, uri, range });
  }
  return found.filter((symbol, index) => shown[index] !== undefined && symbol.range !== undefined);
}

function matching(
  parts: ReplyPart[],
  wanted: WantedSymbol,
  read: (server: FoundSymbol["server"], value: unknown) => FoundSymbol[],
): FoundSymbol[] {
  return parts
    .flatMap(({ server, value }) => (server === undefined ? [] : read(server, value)))
    .filter((symbol) => matchesName(symbol, wanted.name))
    .filter((symbol) => wanted.kind === undefined || symbol.kind === wanted.kind.toLowerCase());
}

/** A server without symbols has none to offer; that is not a failure of the search. */
function noParts(error: unknown): ReplyPart[] {
  if (error instanceof Refusal && error.code === "lsp/not-supported") return [];
  throw error;
}

async function theOnly(call: CallState, wanted: WantedSymbol, found: FoundSymbol[]): Promise<FoundSymbol> {
  const described = await Promise.all(
    found.map(async (symbol) => ({ symbol, item: await describe(call, symbol) })),
  );
  const distinct = uniqueBy(described, ({ item }) => canonicalText(item.at));
  const [only] = distinct;
  if (only === undefined) throw noSymbol(wanted);
  if (distinct.length > 1)
    throw new SeveralMatches(
      wanted,
      distinct.map(({ item }) => item.candidate),
    );
  return only.symbol;
}

/** A candidate as the agent sees it, and the place that makes it distinct. */
async function describe(call: CallState, symbol: FoundSymbol) {
  const lines = await call.places.lines(symbol.server, symbol.uri);
  const admitted = await call.places.show(symbol.uri);
  const extent = extentOf(symbol, lines);
  const document = admitted === undefined ? {} : call.places.document(admitted);
  const span = extent === undefined ? {} : await call.places.span(symbol.server, symbol.uri, extent);
  const text = extent && (await call.places.snippet(symbol.server, symbol.uri, extent.start.line));
  const candidate: JsonObject = {
    name: call.places.name(symbol.name),
    kind: symbol.kind,
    ...document,
    ...span,
  };
  if (symbol.containers.length > 0) candidate.container = symbol.containers.join("/");
  if (text !== undefined) candidate.text = text;
  return { candidate, at: { ...document, start: extent?.start ?? null } };
}

function placeAt(call: CallState, target: Target, symbol: FoundSymbol): Target {
  const lines = target.document.lines;
  const start = extentOf(symbol, lines)?.start;
  if (start === undefined) throw noSymbol({ name: symbol.name, kind: undefined });
  call.onProgress(`found ${symbol.name} in ${target.admitted.shown}`);
  return { ...target, place: toPoint(lines, start, symbol.server.encoding, "utf-16") };
}

function noSymbol(wanted: WantedSymbol): Refusal {
  const kind = wanted.kind === undefined ? "" : ` of kind ${wanted.kind}`;
  return new Refusal("point/no-symbol", `No symbol${kind} called ${wanted.name} was found.`);
}
