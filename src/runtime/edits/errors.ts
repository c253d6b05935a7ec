/**
 * The errors of files before and after an edit, from the servers that run, and what the edit made of them. Nothing here
 * throws: whatever a server does, the edit stands, and what is not known is said to be unknown.
 */

import { canonicalText, isTable, type JsonObject } from "../../base/json.js";
import { sortBy, sortedSet, uniqueBy } from "../../base/order.js";
import { untilAborted, withDeadline } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { itemKey } from "../../protocol/item-order.js";
import { diagnosticsFacts } from "../../protocol/shapes/diagnostics.js";
import { strictPathOfUri } from "../../workspace/file-name.js";
import { Places } from "../answer/convert.js";
import type { CallState } from "../call-state.js";
import { spellDiagnostic } from "../shapes/diagnostics.js";

/** What is known of errors at one moment. */
export interface Look {
  /** By absolute path: the files that were asked about and told of, and others with errors. */
  errors: Map<string, JsonObject[]>;
  /** Why something is not known. */
  why: string[];
}

/** What an edit did to errors. */
export interface Delta {
  introduced: JsonObject[];
  resolved: JsonObject[];
  /** The errors that there are now: those of the edited files first. */
  errors: JsonObject[];
  /** How many of them are left out. */
  notShown: number;
  why: string[];
}

/** An edit of more files is judged by the first of them. */
const mostFiles = 20;
const perFile = 20;
const otherFiles = 5;
const inAll = 50;
const settleMs = 150;
/** A file that is looked at for the first time is waited for twice as long; both must fit. */
const shareOfWait = 0.4;
const ERROR = 1;

/**
 * The errors of some files, and of those beside them that servers know of, within the time. What the servers in `wide` do
 * not tell of files beside is not known; what others do not tell is no news.
 */
export async function lookAtErrors(
  call: CallState,
  paths: readonly string[],
  ms: number,
  wide: ReadonlySet<string> = new Set(),
): Promise<Look> {
  const look: Look = { errors: new Map(), why: [] };
  const fresh = { ...call, places: new Places(call.gate, call.plan.dialect) };
  try {
    await withDeadline([], ms, (signal) =>
      untilAborted(signal, lookAll(fresh, { paths, wide, ms, signal }, look)),
    );
  } catch (error) {
    look.why.push("the language servers did not tell in time");
    call.log("debug", "errors are not known", { cause: String(error) });
  }
  return look;
}

interface Question {
  paths: readonly string[];
  wide: ReadonlySet<string>;
  ms: number;
  signal: AbortSignal;
}

async function lookAll(call: CallState, question: Question, look: Look): Promise<void> {
  const { paths, ms, signal } = question;
  const asked = paths.slice(0, mostFiles);
  if (asked.length < paths.length) look.why.push(`only ${mostFiles} of ${paths.length} files were looked at`);
  await Promise.all(asked.map((path) => lookAtFile(call, path, look, ms, signal)));
  for (const server of call.pool.running()) await lookBeside(call, server, question, look);
}

async function lookAtFile(
  call: CallState,
  path: string,
  look: Look,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set(call.pool.running().map(({ plan }) => plan.id));
  // Where each call is a process of its own, none runs that an earlier one started.
  const asked = call.pool.route(path).filter((plan) => call.lasting !== undefined || running.has(plan.id));
  for (const { id } of asked) {
    try {
      const server = await call.pool.get(id, path, signal);
      const document = await server.ensureOpen(path, signal);
      const report = await server.diagnostics(document, { waitMs: ms * shareOfWait, settleMs, signal });
      if (report.status === "unknown") look.why.push(`${id}: ${report.why}`);
      else await note(call, look, path, server, report.items);
    } catch (error) {
      look.why.push(`${id} failed`);
      call.log("debug", "errors of a file are not known", { cause: String(error) });
    }
  }
}

/** Other files that a server tells of. */
async function lookBeside(
  call: CallState,
  server: LanguageServer,
  { paths, wide, ms, signal }: Question,
  look: Look,
): Promise<void> {
  const { id } = server.plan;
  try {
    const { files, why } = await server.workspaceDiagnostics({ waitMs: ms / 4, settleMs, signal });
    for (const { uri, items } of files) {
      const path = strictPathOfUri(uri);
      if (!paths.includes(path)) await note(call, look, path, server, items);
    }
    if (wide.has(id) && why !== "") look.why.push(`${id}: ${why}`);
  } catch (error) {
    if (wide.has(id)) look.why.push(`${id} failed`);
    call.log("debug", "errors beside an edit are not known", { cause: String(error) });
  }
}

async function note(
  call: CallState,
  look: Look,
  path: string,
  server: LanguageServer,
  items: readonly unknown[],
): Promise<void> {
  const known = look.errors.get(path) ?? [];
  look.errors.set(path, known);
  for (const item of items) {
    if (!isTable(item) || (item.severity ?? ERROR) !== ERROR) continue;
    const admitted = await call.gate.admit(path);
    const spelt = await spellDiagnostic(call, server, admitted.uri, item);
    known.push({ ...call.places.document(admitted), ...spelt });
  }
}

/** What changed from one look to the other; `moved` says where a file went. */
export function compareErrors(
  call: CallState,
  before: Look,
  after: Look,
  edited: readonly string[],
  moved: (path: string) => string,
): Delta {
  const was = new Map([...before.errors].map(([path, errors]) => [moved(path), errors]));
  const introduced: JsonObject[] = [];
  const resolved: JsonObject[] = [];
  for (const path of sortedSet([...was.keys(), ...after.errors.keys()])) {
    const [old, now] = [was.get(path), after.errors.get(path)];
    // Of a file that only one look knows, nothing can be said, but for one beside that has none any more.
    const isBeside = !edited.includes(path);
    if (isBeside || (old !== undefined && now !== undefined)) {
      introduced.push(...without(now ?? [], old ?? []));
      resolved.push(...without(old ?? [], now ?? []));
    }
  }
  const shown = chosen(call, after, edited);
  const total = [...after.errors.values()].reduce((sum, errors) => sum + unique(errors).length, 0);
  return {
    introduced: introduced.slice(0, inAll),
    resolved: resolved.slice(0, inAll),
    errors: shown,
    notShown: total - shown.length,
    why: uniqueBy([...before.why, ...after.why], (why) => why),
  };
}

/** The errors of one list that the other does not have; an edit moves lines, so places do not count. */
function without(errors: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const left = others.map(meaning);
  return unique(errors).filter((error) => {
    const at = left.indexOf(meaning(error));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function meaning({ code, source, message }: JsonObject): string {
  return canonicalText([code ?? null, source ?? null, message ?? null]);
}

/** Edited files first, then others by path: 20 errors a file, 5 other files, 50 in all. */
function chosen(call: CallState, { errors }: Look, edited: readonly string[]): JsonObject[] {
  const first = edited.filter((path) => errors.has(path));
  const others = sortedSet([...errors.keys()].filter((path) => !edited.includes(path)));
  const beside = others.filter((path) => (errors.get(path) ?? []).length > 0).slice(0, otherFiles);
  return [...first, ...beside]
    .flatMap((path) => {
      const sorted = sortBy(unique(errors.get(path) ?? []), (item) => [
        ...itemKey(diagnosticsFacts, item, call.plan.dialect),
        canonicalText(item),
      ]);
      return sorted.slice(0, perFile);
    })
    .slice(0, inAll);
}

function unique(errors: readonly JsonObject[]): JsonObject[] {
  return uniqueBy(errors, canonicalText);
}
