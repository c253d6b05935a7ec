/**
 * Asks the candidate servers. With `first`, a server that fails or lacks the method is replaced by the next. With
 * `all`, every server is asked in parallel. A failure beside an answer is a warning; without any answer it fails the
 * call.
 */
import type { ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import { Deadline, withDeadline } from "../../base/timing.js";
import type { LanguageServer, ServerReply } from "../../lsp/types.js";
import type { Evidence } from "../answer/evidence.js";
import type { CallState } from "../call-state.js";
import type { Attached, CandidateServers, ReplyPart } from "./candidates.js";
import { warnOfMissingProject } from "./missing-project.js";

/** The time that a server has for its answer. */
interface TimeLimit {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Asks one server; undefined when it lacks the method. */
type Send<T> = (attached: Attached, limit: TimeLimit) => Promise<T | undefined>;

/** The share of the remaining time that one server may use, so that the others' answers are not lost with it. */
const SHARE_OF_ALL = 0.9;
const SHARE_OF_FIRST = 0.6;
/** A server that has not started within this time is replaced by the next one, and continues to start. */
const START_MS = 5_000;
/** The share of its time after which a server that delays its answer while indexing must return what it has. */
export const SHARE_OF_ANSWER = 0.95;

interface Answered<T> {
  attached: Attached;
  answer: T;
}

/** What asking one server gave: its answers, one for each root, or why it gave none. */
interface ServerOutcome<T> {
  answers: Answered<T>[];
  failure: Refusal | undefined;
}

/** The answers of the servers that gave one; empty when none supports the question. Throws when all that do failed. */
export async function askCandidates<T>(
  call: CallState,
  candidates: CandidateServers,
  merge: "first" | "all",
  send: Send<T>,
): Promise<Answered<T>[]> {
  const { servers } = candidates;
  if (merge === "all") {
    const share = servers.length > 1 ? SHARE_OF_ALL : 1;
    const outcomes = servers.map((server) => askServer(call, candidates, server, merge, share, send));
    return combineOutcomes(call, candidates, await Promise.all(outcomes));
  }
  const outcomes: ServerOutcome<T>[] = [];
  for (const [index, server] of servers.entries()) {
    const isLast = index === servers.length - 1;
    const tried = isLast ? candidates : withStartLimit(candidates);
    const share = isLast ? 1 : SHARE_OF_FIRST;
    const outcome = await askServer(call, tried, server, merge, share, send);
    outcomes.push(outcome);
    if (outcome.answers.length === 0) continue;
    // Servers that were tried before this one have no part in the answer and do not affect its readiness.
    for (const { id } of servers.slice(0, index)) call.evidence.awaitsNoMore(id);
    break;
  }
  return combineOutcomes(call, candidates, outcomes);
}

/** Sends a request to the candidates that offer its method. */
export async function requestCandidates(
  call: CallState,
  candidates: CandidateServers,
  method: string,
  merge: "first" | "all",
  send: (attached: Attached, limit: TimeLimit) => Promise<ServerReply>,
): Promise<ReplyPart[]> {
  const answers = await askCandidates(call, candidates, merge, async (attached, limit) => {
    const { server, document } = attached;
    return (await server.offers(method, document, limit)) ? send(attached, limit) : undefined;
  });
  return replyParts(call, candidates, method, answers);
}

/** The replies to a request; records who answered. Throws `lsp/not-supported` when no candidate offers the method. */
export async function replyParts(
  call: CallState,
  candidates: CandidateServers,
  method: string,
  answers: readonly Answered<ServerReply>[],
): Promise<ReplyPart[]> {
  if (answers.length === 0) throw (await candidates.noneHere?.()) ?? notSupported(method, candidates.servers);
  return answers.map(({ attached: { server }, answer }) => {
    call.evidence.answered(server.plan.id, answer.readiness);
    if (server.plan.projectFiles.length > 0 && call.tool.effect === "read")
      warnOfMissingProject(call, server, method);
    return { server, value: answer.value };
  });
}

/** The refusal that becomes an empty answer with a warning where the answer is a list. */
export function notSupported(method: string, servers: readonly ServerPlan[]): Refusal {
  const ids = servers.map((server) => server.id).join(", ");
  const message = ids === "" ? `No server here offers ${method}.` : `${ids}: ${method} is not offered.`;
  return new Refusal("lsp/not-supported", message);
}

/** The same candidates, with a limit for the start of a server: after it the next one is asked. */
function withStartLimit(candidates: CandidateServers): CandidateServers {
  return {
    servers: candidates.servers,
    attach: (server, signal) => {
      const words = `The server ${server.id} has not started within ${START_MS / 1000} s; it goes on starting.`;
      const late = () => new Refusal("lsp/timeout", words);
      return withDeadline([signal], START_MS, (starting) => candidates.attach(server, starting), late);
    },
  };
}

/** Asks one server. If it runs for several roots, one after the other: with `first` only until one has an answer. */
async function askServer<T>(
  call: CallState,
  candidates: CandidateServers,
  server: ServerPlan,
  merge: "first" | "all",
  share: number,
  send: Send<T>,
): Promise<ServerOutcome<T>> {
  const ownMs = call.remainingMs() * share;
  const restMs = call.remainingMs() - ownMs;
  const late = () => new Refusal("lsp/timeout", `The server ${server.id} did not answer in time.`);
  // With all of the time, use the call's own deadline, so that only one timeout is reported.
  const deadline = share === 1 ? undefined : new Deadline([call.signal], ownMs, late);
  const signal = deadline?.signal ?? call.signal;
  const outcome: ServerOutcome<T> = { answers: [], failure: undefined };
  try {
    for (const attached of await candidates.attach(server, signal)) {
      const timeoutMs = Math.max(1, Math.floor((call.remainingMs() - restMs) * SHARE_OF_ANSWER));
      let answer: T | undefined;
      try {
        answer = await send(attached, { signal, timeoutMs });
      } catch (error) {
        // A server that advertises a method and then rejects it does not support it.
        if (!(error instanceof Refusal && error.code === "lsp/not-supported")) throw error;
      }
      addServerWarnings(call, attached.server);
      if (answer === undefined) continue;
      outcome.answers.push({ attached, answer });
      if (merge === "first") break;
    }
  } catch (error) {
    call.signal.throwIfAborted();
    if (deadline?.isOver) outcome.failure = late();
    // A refusal of what the call named is final: another server would give the same.
    else if (error instanceof Refusal && !error.code.startsWith("guard/")) outcome.failure = error;
    else throw error;
  } finally {
    deadline?.clear();
  }
  return outcome;
}

/** The answers of all outcomes. A failure beside an answer is a warning; without any answer it is thrown. */
function combineOutcomes<T>(
  call: CallState,
  candidates: CandidateServers,
  outcomes: readonly ServerOutcome<T>[],
): Answered<T>[] {
  const answers = outcomes.flatMap((outcome) => outcome.answers);
  for (const [index, { failure }] of outcomes.entries()) {
    if (failure === undefined) continue;
    if (answers.length === 0) throw failure;
    const id = candidates.servers[index]?.id ?? "";
    call.evidence.warn("answer/partial-servers", `The server ${id} did not answer: ${failure.message}`, {
      server_id: id,
      code: failure.code,
    });
  }
  return answers;
}

const NOT_WATCHED = "answer/not-watched";
const CODES_WITH_FOLDER: ReadonlySet<string> = new Set([NOT_WATCHED, "answer/path-withheld"]);

/** Adds the warnings of a server that was asked. */
export function addServerWarnings(call: CallState, server: LanguageServer): void {
  const { id } = server.plan;
  /** How a folder is shown; undefined when it is outside the roots or was named before. */
  const shownOnce = (path: string): string | undefined => {
    const folder = call.gate.check(path);
    return folder instanceof Error || call.warnedFolders.has(folder.shown) ? undefined : folder.shown;
  };
  if (server.hasUnwatchedFiles) {
    const message = `Not all files of ${id} can be watched. Changes of files that are not open may be noticed late or missed.`;
    call.evidence.warn(NOT_WATCHED, message, { server_id: id });
  }
  for (const path of server.partlyWatchedFolders) {
    const folder = shownOnce(path);
    if (folder === undefined) continue;
    const message = `${folder} is not watched completely, because it has too many files or could not be read: a change in it may be missed.`;
    call.evidence.warn(NOT_WATCHED, message, { folder });
  }
  for (const { variable, folder: path } of server.withheld) {
    const folder = shownOnce(path);
    if (folder === undefined) continue;
    const what = variable === null ? `${folder} is a Python environment` : `${variable} names ${folder}`;
    const message = `${what}, but the workspace is not trusted: ${id} was started without it and may know less, for example of the packages in a virtual environment. The user can run \`lsp-proxy trust\`.`;
    call.evidence.warn("answer/path-withheld", message, { folder });
  }
  const reason = server.crashNotice();
  if (reason === undefined) return;
  const message = `The server ${id} ${reason}; it was restarted.`;
  call.evidence.warn("answer/server-restarted", message, { server_id: id });
}

/** The folders that the warnings of a call name; its session is not warned of them again. */
export function warnedFolders({ warnings }: Evidence): string[] {
  return warnings.flatMap(({ code, data }) =>
    CODES_WITH_FOLDER.has(code) && typeof data?.folder === "string" ? [data.folder] : [],
  );
}
