/**
 * Finds a symbol by its name or name path: in the named file, then in the whole workspace. Several matches are a
 * question back to the agent, never a guess, unless the name has an index (`method[1]`) or only one is not local.
 */
import type { WorkspaceSymbolParams } from "vscode-languageserver-protocol";
import type { ServerPlan } from "../../abi/plan.js";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { sortBy, sortedSet, uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { Turns } from "../../base/timing.js";
import { itemKey } from "../../protocol/item-order.js";
import { symbolKinds } from "../../protocol/kinds.js";
import { workspaceSymbolsFacts } from "../../protocol/shapes/symbols.js";
import { toPoint } from "../answer/places.js";
import { requestCandidates } from "../ask/ask.js";
import { candidatesForWorkspace, type ReplyPart } from "../ask/candidates.js";
import { retryPlanFor } from "../ask/recent-changes.js";
import type { CallState } from "../call-state.js";
import { onePerSymbol } from "./one-symbol.js";
import {
  containerPath,
  identifierOf,
  isInFunction,
  isKind,
  knownKinds,
  nameAndIndex,
} from "./symbol-names.js";
import {
  documentSymbols,
  dropSymbol,
  extentOf,
  type FoundSymbol,
  matching,
  matchingOrQualified,
  nameRangeOf,
  onlyOfDocument,
  type WantedSymbol,
  workspaceSymbols,
} from "./symbols.js";
import { documentBase, openTarget, type Place, type Target } from "./target.js";
import { hasWord } from "./words.js";

/** Several symbols or lines match; the answer lists them. */
export class SeveralMatches extends Error {
  constructor(
    message: string,
    readonly candidates: JsonObject[],
  ) {
    super(message);
    this.name = "SeveralMatches";
  }
}

/** No index of a name is higher. */
const MOST_MATCHES = 10_000;
/** How many files are opened to place workspace symbols that have no range. */
const mostFiles = 5;

/** The document and position of a symbol; `within` is the document that the call named, if any. */
export async function findSymbol(
  call: CallState,
  wanted: WantedSymbol,
  within: Target | undefined,
): Promise<Target> {
  const declared = within === undefined ? [] : await symbolsIn(call, within);
  const here = matchingOrQualified(call, declared, wanted);
  if (within !== undefined && here.length > 0)
    return placeAt(call, within, await onlyMatch(call, wanted, here));
  if (within !== undefined && call.tool.effect === "edit")
    throw new Refusal(
      "point/no-symbol",
      `${within.admitted.shown} does not declare ${wanted.name}; leave the file out to look for it everywhere.${didYouMean(wanted, declared)}`,
    );
  // Another language's symbol of the same name is another symbol.
  const { found, reported } = await matchesAnywhere(call, wanted, within?.candidates.servers);
  if (found.length === 0)
    throw noSymbol(wanted, 0, [
      ...declared,
      ...reported.filter(({ uri }) => call.places.show(uri) !== undefined),
    ]);
  const symbol = await onlyMatch(call, wanted, found);
  const target = await openTarget(call, symbol.uri);
  if (within !== undefined && target.admitted.path !== within.admitted.path)
    call.evidence.warn(
      "answer/found-elsewhere",
      `${within.admitted.shown} does not declare ${wanted.name}; the one in ${target.admitted.shown} was used.`,
    );
  return placeAt(call, target, symbol);
}

/** The position of the first symbol that a line declares. */
export async function declaredOn(call: CallState, target: Target, line: number): Promise<Place | undefined> {
  const { lines } = target.document;
  const turns = new Turns(call.signal);
  const here: Place[] = [];
  for (const symbol of await symbolsIn(call, target)) {
    const start = extentOf(symbol, lines)?.start;
    const place = start && toPoint(lines, start, symbol.server.encoding, "utf-16");
    if (place?.line === line) here.push(place);
    if (turns.isDue) await turns.yield();
  }
  return sortBy(here, ({ character }) => [character])[0];
}

/** The names of all symbols that a file declares; none where no server has an outline. */
export async function declaredNames(call: CallState, target: Target): Promise<string[]> {
  return (await symbolsIn(call, target)).map(({ details }) => identifierOf(details.name));
}

/** Whether the target's file declares the name outside of all functions. */
export async function isDeclaredOutsideFunctions(
  call: CallState,
  target: Target,
  name: string,
): Promise<boolean> {
  const symbols = await symbolsIn(call, target);
  return symbols.some(
    ({ details }) => identifierOf(details.name) === name && !isInFunction(details.container),
  );
}

/** The symbols of the target's document. */
export async function symbolsIn(call: CallState, target: Target): Promise<FoundSymbol[]> {
  const { uri } = target.document;
  const parts = await requestCandidates(
    call,
    target.candidates,
    "textDocument/documentSymbol",
    "first",
    (asked, limit) => asked.server.request("textDocument/documentSymbol", documentBase(target), limit),
  ).catch(noParts);
  return onlyOfDocument(
    call,
    uri,
    symbolsOf(parts, (server, value) => documentSymbols(server, uri, value)),
  );
}

/** The matches in the whole workspace, and every symbol that servers reported for the name. */
async function matchesAnywhere(
  call: CallState,
  wanted: WantedSymbol,
  servers: readonly ServerPlan[] | undefined,
): Promise<{ found: FoundSymbol[]; reported: FoundSymbol[] }> {
  const query = identifierOf(nameAndIndex(wanted.name).name);
  const retryEmpty = retryPlanFor(call, { attempts: 5, delayMs: 200, while: "not_ready" });
  const parts = await requestCandidates(
    call,
    candidatesForWorkspace(call, servers, () => hasWord(query)),
    "workspace/symbol",
    "all",
    (asked, limit) =>
      asked.server.request("workspace/symbol", { query } satisfies WorkspaceSymbolParams, {
        ...limit,
        retryEmpty,
        onProgress: call.onProgress,
      }),
  ).catch(noParts);
  const reported = symbolsOf(parts, workspaceSymbols);
  const matches = inside(call, matchingOrQualified(call, reported, wanted));
  const placed = matches.filter((symbol) => symbol.range !== undefined);
  if (placed.length > 0) return { found: placed, reported };
  // Some servers give neither range nor container; the file's outline does.
  const named = matches.length > 0 ? matches : inside(call, matching(reported, { ...wanted, name: query }));
  const found: FoundSymbol[] = [];
  for (const uri of sortedSet(named.map((symbol) => symbol.uri)).slice(0, mostFiles))
    for (const symbol of matchingOrQualified(
      call,
      await symbolsIn(call, await openTarget(call, uri)),
      wanted,
    ))
      found.push(symbol);
  return { found, reported };
}

/** The symbols within the roots; the others are counted as dropped. */
function inside(call: CallState, found: FoundSymbol[]): FoundSymbol[] {
  const isShown = (symbol: FoundSymbol) => call.places.show(symbol.uri) !== undefined;
  for (const symbol of found) {
    if (!isShown(symbol)) dropSymbol(call.evidence, symbol);
  }
  return found.filter(isShown);
}

function symbolsOf(
  parts: ReplyPart[],
  read: (server: FoundSymbol["server"], value: unknown) => Iterable<FoundSymbol>,
): FoundSymbol[] {
  return parts.flatMap(({ server, value }) => (server === undefined ? [] : [...read(server, value)]));
}

/** A server without symbols offers none; the search has not failed. */
function noParts(error: unknown): ReplyPart[] {
  if (error instanceof Refusal && error.code === "lsp/not-supported") return [];
  throw error;
}

async function onlyMatch(call: CallState, wanted: WantedSymbol, found: FoundSymbol[]): Promise<FoundSymbol> {
  const turns = new Turns(call.signal);
  const described: { symbol: FoundSymbol; item: Awaited<ReturnType<typeof describe>> }[] = [];
  for (const symbol of found.slice(0, MOST_MATCHES)) {
    described.push({ symbol, item: await describe(call, symbol) });
    if (turns.isDue) await turns.yield();
  }
  const distinct = sortBy(
    uniqueBy(described, ({ item }) => canonicalText(item.at)),
    ({ item: { candidate } }) => [
      ...itemKey(workspaceSymbolsFacts, candidate, call.plan.dialect),
      canonicalText(candidate),
    ],
  );
  const { index } = nameAndIndex(wanted.name);
  const symbols = index === undefined ? await onePerSymbol(call, withoutLocals(call, distinct)) : distinct;
  const chosen = symbols[index ?? 0];
  if (index === undefined && symbols.length > 1)
    throw new SeveralMatches(
      `Several symbols are called ${wanted.name}; point at one of the candidates.`,
      symbols.map(({ item }) => item.candidate),
    );
  if (chosen === undefined) throw noSymbol(wanted, distinct.length);
  const { text: _, ...symbol } = chosen.item.candidate;
  call.evidence.symbol = symbol;
  return chosen.symbol;
}

/**
 * A name that is declared outside functions means that declaration, not what the body of a function calls the same: a
 * variable, or a property of a literal. An edit is not guessed.
 */
function withoutLocals<T extends { symbol: FoundSymbol }>({ tool }: CallState, entries: T[]): T[] {
  if (tool.effect === "edit") return entries;
  const outside = entries.filter(({ symbol }) => !isInFunction(symbol.details.container));
  return outside.length > 0 ? outside : entries;
}

/** A candidate as the agent sees it, and the position that makes it distinct. */
async function describe(call: CallState, symbol: FoundSymbol) {
  const { server, uri } = symbol;
  const lines = await call.places.lines(server, uri);
  const admitted = call.places.show(uri);
  const extent = extentOf(symbol, lines);
  const isDeclaration = call.plan.dialect.symbol.extent === "declaration";
  const shown = isDeclaration ? symbol.range : extent;
  const document = admitted === undefined ? {} : call.places.document(admitted);
  const span = shown === undefined ? {} : await call.places.span(server, uri, shown);
  const text = extent && (await call.places.snippet(server, uri, extent));
  const { name, kind, container } = symbol.details;
  const candidate: JsonObject = { name: call.places.name(name), kind, ...document, ...span };
  const nameRange = isDeclaration ? nameRangeOf(symbol, lines) : undefined;
  if (nameRange !== undefined) candidate.selection_range = call.places.rangeValue(lines, server, nameRange);
  if (container !== undefined) candidate.container = containerPath(container);
  if (text !== undefined) candidate.text = text;
  return { candidate, at: { ...document, start: extent?.start ?? null } };
}

function placeAt(call: CallState, target: Target, symbol: FoundSymbol): Target {
  const lines = target.document.lines;
  const start = extentOf(symbol, lines)?.start;
  const { name } = symbol.details;
  if (start === undefined) throw noSymbol({ name, kind: undefined });
  call.onProgress(`found ${name} in ${target.admitted.shown}`);
  return { ...target, place: toPoint(lines, start, symbol.server.encoding, "utf-16") };
}

function nearKind(word: string): string {
  const near = nearest(word, knownKinds);
  return near === undefined ? "." : `, did you mean ${near}?`;
}

function noSymbol(wanted: WantedSymbol, others = 0, declared: readonly FoundSymbol[] = []): Refusal {
  const kind = wanted.kind === undefined ? "" : ` of kind ${wanted.kind}`;
  const hint = noSymbolHint(wanted, others, declared);
  return new Refusal("point/no-symbol", `No symbol${kind} called ${wanted.name} was found.${hint}`);
}

function noSymbolHint(wanted: WantedSymbol, others: number, declared: readonly FoundSymbol[]): string {
  const { kind } = wanted;
  if (kind !== undefined && !symbolKinds.some((known) => isKind(known, kind)))
    return ` There is no such kind${nearKind(kind)} Known are ${knownKinds.join(", ")}.`;
  if (others > 0) return ` There are ${others} of that name, counted from 0.`;
  return didYouMean(wanted, declared);
}

/** Names the kinds that the symbol has, or the most similar name; empty when there is neither. */
function didYouMean(wanted: WantedSymbol, declared: readonly FoundSymbol[]): string {
  const kinds = sortedSet(
    matching(declared, { ...wanted, kind: undefined }).map(({ details }) => details.kind),
  );
  if (kinds.length > 0) return ` There is a symbol of that name, of kind ${kinds.join(", ")}.`;
  const name = identifierOf(nameAndIndex(wanted.name).name);
  const near = nearest(name, sortedSet(declared.map(({ details }) => identifierOf(details.name))));
  return near === undefined || near === name ? "" : ` Did you mean ${near}?`;
}
