/**
 * Finds out which matches of a name are one symbol: overloads, an `impl` block and its type, a type and its alias, a
 * declaration and its definition. The server decides: two places are one symbol if one's definition is the other.
 */
import type { Position, Range, TextDocumentPositionParams } from "vscode-languageserver-protocol";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { LspMethod } from "../../protocol/methods.js";
import { listOf, locationIn } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { compareContainers } from "./symbol-names.js";
import { extentOf, type FoundSymbol, isBefore, isSameRange } from "./symbols.js";

/** More matches than this are shown as they are: a definition is requested for each. */
const MOST_ASKED = 40;
const METHOD: LspMethod = "textDocument/definition";

/** A match with its name's position, in the server's own columns. */
interface Match<T> {
  entry: T;
  symbol: FoundSymbol;
  name: Position;
  /** All matches that are the same symbol, itself included; shared by them. */
  group: Set<Match<T>>;
  /** How many matches have this one as their definition. */
  pointedAt: number;
}

/** One entry for each symbol: the one that the others have as their definition, else the first. */
export async function onePerSymbol<T extends { symbol: FoundSymbol }>(
  call: CallState,
  entries: readonly T[],
): Promise<readonly T[]> {
  if (entries.length < 2 || entries.length > MOST_ASKED || changesDeclaration(call)) return entries;
  const matches: Match<T>[] = [];
  for (const entry of entries) {
    const { symbol } = entry;
    const name = extentOf(symbol, await call.places.lines(symbol.server, symbol.uri))?.start;
    // A match without a position cannot be compared.
    if (name === undefined) return entries;
    const match: Match<T> = { entry, symbol, name, group: new Set(), pointedAt: 0 };
    match.group.add(match);
    matches.push(match);
  }
  joinAliases(matches);
  if (groupsOf(matches).length > 1) await joinDefinitions(call, matches);
  return groupsOf(matches).flatMap(best);
}

/** An edit of a declaration's text needs to know which one: overloads are separate texts. */
function changesDeclaration({ tool }: CallState): boolean {
  return tool.effect === "edit" && tool.steps.some(({ kind }) => kind === "runtime");
}

/** `typedef struct node {} node`: a declaration around another of the same name, in the same container. */
function joinAliases<T>(matches: readonly Match<T>[]): void {
  for (const outer of matches)
    for (const inner of matches) {
      if (outer === inner || !isAround(outer.symbol, inner.symbol)) continue;
      join(outer, inner);
      outer.pointedAt += 1;
    }
}

function isAround(outer: FoundSymbol, inner: FoundSymbol): boolean {
  if (outer.uri !== inner.uri || compareContainers(outer.details.container, inner.details.container) !== 0)
    return false;
  const around = outer.range;
  const within = inner.range;
  if (around === undefined || within === undefined || isSameRange(around, within)) return false;
  return contains(around, within.start) && contains(around, within.end);
}

async function joinDefinitions<T>(call: CallState, matches: readonly Match<T>[]): Promise<void> {
  for (const match of matches) {
    const { symbol, name } = match;
    for (const location of await definitionsOf(call, symbol, name)) {
      const path = call.places.show(location.uri)?.path;
      for (const other of matches) {
        const isThere = path !== undefined && call.places.show(other.symbol.uri)?.path === path;
        if (other === match || !isThere || !contains(location.range, other.name)) continue;
        join(match, other);
        other.pointedAt += 1;
      }
    }
  }
}

async function definitionsOf(call: CallState, { server, uri }: FoundSymbol, position: Position) {
  const { signal } = call;
  const path = call.places.show(uri)?.path;
  if (path === undefined) return [];
  try {
    const document = await server.ensureOpen(path, signal, call.fileCheck?.startedAt);
    const timeoutMs = Math.max(1, Math.floor(call.remainingMs() / 2));
    if (!(await server.offers(METHOD, document, { signal, timeoutMs }))) return [];
    const params: TextDocumentPositionParams = { textDocument: { uri: document.uri }, position };
    const { value, readiness } = await server.request(METHOD, params, { signal, timeoutMs });
    call.evidence.answered(server.plan.id, readiness);
    return listOf(value).flatMap((entry) => locationIn(entry) ?? []);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Refusal)) throw error;
    // Without an answer the matches count as different symbols. A server that is indexing may say otherwise later.
    call.evidence.answered(server.plan.id, server.readiness);
    return [];
  }
}

function join<T>(a: Match<T>, b: Match<T>): void {
  if (a.group === b.group) return;
  for (const match of b.group) {
    a.group.add(match);
    match.group = a.group;
  }
}

/** The matches of each symbol, in the order in which they were given. */
function groupsOf<T>(matches: readonly Match<T>[]): Match<T>[][] {
  const groups = [...new Set(matches.map(({ group }) => group))];
  return groups.map((group) => matches.filter((match) => match.group === group));
}

function best<T>(group: readonly Match<T>[]): T[] {
  const [chosen] = sortBy(group, ({ pointedAt }) => [-pointedAt]);
  return chosen === undefined ? [] : [chosen.entry];
}

function contains({ start, end }: Range, position: Position): boolean {
  return !isBefore(position, start) && !isBefore(end, position);
}
