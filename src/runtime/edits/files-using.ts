/** Finds the files that use a symbol whose declaration an edit changes: its errors appear there. */
import type { ReferenceParams } from "vscode-languageserver-protocol";
import { Refusal } from "../../base/problem.js";
import { Turns, untilAborted, withDeadline } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { LspMethod } from "../../protocol/methods.js";
import { toPoint } from "../answer/places.js";
import { listOf, locationIn } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Place } from "../point/target.js";
import { hasWord, wordAt } from "../point/words.js";

const METHOD: LspMethod = "textDocument/references";
const ALL_FILES: LspMethod = "workspace/diagnostic";

/** Where a symbol has its name. */
export interface NamedPlace {
  /** Absolute. */
  path: string;
  place: Place;
}

/** The absolute paths, at most `most`; throws a Refusal when they are not known within the time. */
export async function filesUsing(
  call: CallState,
  symbol: NamedPlace,
  ms: number,
  most: number,
): Promise<string[]> {
  const routed = new Set(call.pool.route(symbol.path).map(({ id }) => id));
  const servers = call.pool.running().filter(({ plan }) => routed.has(plan.id));
  const found = new Set<string>();
  const late = () => new Refusal("lsp/timeout", "the uses of the symbol were not found in time");
  const ask = async (signal: AbortSignal) => {
    for (const server of servers)
      for (const path of await askServer(call, server, symbol, signal, ms)) found.add(path);
  };
  await withDeadline([call.signal], ms, (signal) => untilAborted(signal, ask(signal)), late);
  found.delete(symbol.path);
  return [...found].slice(0, most);
}

async function askServer(
  call: CallState,
  server: LanguageServer,
  { path, place }: NamedPlace,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Set<string>> {
  const document = await server.ensureOpen(path, signal, call.fileCheck?.startedAt);
  const { lines, uri } = document;
  const name = wordAt(lines.line(place.line), place.character)?.text;
  // A server that reports on all files needs no help.
  if (name === undefined || server.supports(ALL_FILES, document)) return new Set();
  if (!(await server.offers(METHOD, document, { signal, timeoutMs }))) return new Set();
  await server.openProjects(() => hasWord(name), signal, call.fileCheck?.startedAt);
  const params: ReferenceParams = {
    textDocument: { uri },
    position: toPoint(lines, place, "utf-16", server.encoding),
    context: { includeDeclaration: false },
  };
  const { value } = await server.request(METHOD, params, { signal, timeoutMs });
  const turns = new Turns(signal);
  const uris = new Set<string>();
  for (const entry of listOf(value)) {
    const location = locationIn(entry);
    if (location !== undefined) uris.add(location.uri);
    if (turns.isDue) await turns.yield();
  }
  // Only files that may be changed are checked, so not those of dependencies.
  const shown = [...uris].flatMap((one) => call.places.show(one) ?? []);
  return new Set(shown.flatMap((admitted) => (admitted.writable ? [admitted.path] : [])));
}
