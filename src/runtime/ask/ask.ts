/**
 * Asking the servers of a circle. With `first` the first that supports the method answers, and a failing server gives
 * way to the next; with `all` everybody is asked side by side. A failure beside an answer is a warning; a failure
 * without one is the call's own.
 */

import type { ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import { type Soon, whenThere } from "../../base/soon.js";
import type { StopSignal } from "../../base/stop.js";
import type { ServerReply } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { withDeadline } from "../deadline.js";
import type { Circle } from "./circle.js";
import { tellNews } from "./news.js";
import type { Attached, ReplyPart } from "./reply.js";

/** The time that a server has for its answer. */
export interface Turn {
  signal: StopSignal;
  timeoutMs: number;
}

/** One server's share of a question; undefined when the server lacks the method. */
export type Send<T> = (attached: Attached, turn: Turn) => Soon<T | undefined>;

/** A server may use so much of the time that is left, so that the others' answers are not lost with it. */
const shareOfAll = 0.9;
const shareOfFirst = 0.6;
/** A server that is not up after so long gives way to the next one, and goes on starting. */
const startMs = 5_000;
/** A server that holds an answer back while it is indexing must give what it has before the call is over. */
const shareOfAnswer = 0.95;

interface Answered<T> {
  attached: Attached;
  answer: T;
}

interface Outcome<T> {
  answers: Answered<T>[];
  failure: Refusal | undefined;
}

/** The answers of the servers that gave one; empty when nobody supports the question. Throws when all that do failed. */
export function askCircle<T>(
  call: CallState,
  circle: Circle,
  merge: "first" | "all",
  send: Send<T>,
): Promise<Answered<T>[]> {
  return outcomesOf(call, circle, merge, send).then((outcomes) => settle(call, circle, merge, outcomes));
}

/** What became of the question: of the only server one, in their order of several. */
function outcomesOf<T>(
  call: CallState,
  circle: Circle,
  merge: "first" | "all",
  send: Send<T>,
): Promise<Outcome<T> | Outcome<T>[]> {
  const [only] = circle.servers;
  return only === undefined || circle.servers.length > 1
    ? askSeveral(call, circle, merge, send)
    : askOne(call, circle, only, 1, send);
}

async function askSeveral<T>(
  call: CallState,
  circle: Circle,
  merge: "first" | "all",
  send: Send<T>,
): Promise<Outcome<T>[]> {
  const { servers } = circle;
  const outcomes: Outcome<T>[] = [];
  if (merge === "all") {
    const asked = servers.map((server) => askOne(call, circle, server, shareOfAll, send));
    outcomes.push(...(await Promise.all(asked)));
  } else {
    for (let index = 0; index < servers.length; index++) {
      const server = servers[index];
      if (server === undefined) break;
      const isLast = index === servers.length - 1;
      const outcome = await askOne(
        call,
        isLast ? circle : impatient(circle),
        server,
        isLast ? 1 : shareOfFirst,
        send,
      );
      outcomes.push(outcome);
      if (outcome.answers.length === 0) continue;
      // Whoever gave way has no part in the answer, and is no reason to doubt it.
      for (const { id } of servers.slice(0, index)) call.evidence.awaitsNoMore(id);
      break;
    }
  }
  return outcomes;
}

/** Sends a request to the circle and notes who answered. Throws `lsp/not-supported` when nobody offers the method. */
export function requestCircle(
  call: CallState,
  circle: Circle,
  method: string,
  merge: "first" | "all",
  send: (attached: Attached, turn: Turn) => Promise<ServerReply>,
  isOffered: (attached: Attached, turn: Turn) => Soon<boolean> = ({ server, document }, turn) =>
    server.offers(method, document, turn),
): Promise<ReplyPart[]> {
  const asked = outcomesOf<ServerReply>(call, circle, merge, (attached, turn) =>
    whenThere(isOffered(attached, turn), (isTrue) => (isTrue ? send(attached, turn) : undefined)),
  );
  return asked.then((outcomes) => {
    const answers = settle(call, circle, merge, outcomes);
    if (answers.length === 0) throw notSupported(method, circle.servers);
    return answers.map(({ attached: { server }, answer }) => {
      call.evidence.heard(server, answer.readiness);
      return { server, value: answer.value };
    });
  });
}

/** The refusal that becomes an empty answer with a warning where the answer is a list. */
export function notSupported(method: string, servers: readonly ServerPlan[]): Refusal {
  const ids = servers.map((server) => server.id).join(", ");
  const message = ids === "" ? `No server here offers ${method}.` : `${ids}: ${method} is not offered.`;
  return new Refusal("lsp/not-supported", message);
}

/** The circle, without waiting long for a server that has yet to start. */
function impatient(circle: Circle): Circle {
  return {
    servers: circle.servers,
    attach: (server, signal) => {
      const words = `The server ${server.id} has not started within ${startMs / 1000} s; it goes on starting.`;
      const late = () => new Refusal("lsp/timeout", words);
      return withDeadline([signal], startMs, async (starting) => circle.attach(server, starting), late);
    },
  };
}

function askOne<T>(
  call: CallState,
  circle: Circle,
  server: ServerPlan,
  share: number,
  send: Send<T>,
): Promise<Outcome<T>> {
  // Whoever has all the time ends with the call: two timers for one moment would tell two stories.
  if (share === 1) return askWithin(call, circle, server, send, { signal: call.signal, restMs: 0 });
  const own = call.remainingMs() * share;
  const restMs = call.remainingMs() - own;
  const late = () => new Refusal("lsp/timeout", `The server ${server.id} did not answer in time.`);
  // The reason goes with the signal: a start that was not waited for is told as that, in every step.
  return withDeadline(
    [call.signal],
    own,
    (signal, expired) =>
      askWithin(call, circle, server, send, { signal, restMs, late: () => (expired() ? late() : undefined) }),
    late,
  );
}

/** The time of one server: how it ends, what must be left of the call's, and what is told when it was over. */
interface Share {
  signal: StopSignal;
  restMs: number;
  late?(): Refusal | undefined;
}

async function askWithin<T>(
  call: CallState,
  circle: Circle,
  server: ServerPlan,
  send: Send<T>,
  { signal, restMs, late }: Share,
): Promise<Outcome<T>> {
  const outcome: Outcome<T> = { answers: [], failure: undefined };
  try {
    const found = circle.attach(server, signal);
    for (const attached of found instanceof Promise ? await found : found) {
      const timeoutMs = Math.max(1, Math.floor((call.remainingMs() - restMs) * shareOfAnswer));
      let answer: T | undefined;
      try {
        const sent = send(attached, { signal, timeoutMs });
        answer = sent instanceof Promise ? await sent : sent;
      } catch (error) {
        if (!isUnsupported(error)) throw error;
      }
      tellNews(call, attached.server);
      if (answer !== undefined) outcome.answers.push({ attached, answer });
    }
  } catch (error) {
    call.signal.throwIfAborted();
    const lateness = late?.();
    if (lateness !== undefined) outcome.failure = lateness;
    else if (error instanceof Refusal && !isTheCallers(error)) outcome.failure = error;
    else throw error;
  }
  return outcome;
}

/** A server that advertises a method and then does not have it does not support it. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Refusal && error.code === "lsp/not-supported";
}

/** The answers; a server that runs for several roots has one for each, of which `first` takes the first. */
function settle<T>(
  call: CallState,
  circle: Circle,
  merge: "first" | "all",
  found: Outcome<T> | Outcome<T>[],
): Answered<T>[] {
  if (!Array.isArray(found) && found.failure === undefined && found.answers.length === 1)
    return found.answers;
  const outcomes = Array.isArray(found) ? found : [found];
  const given = outcomes.flatMap(({ answers }) => answers);
  const answers = merge === "first" ? given.slice(0, 1) : given;
  for (const [index, { failure }] of outcomes.entries()) {
    if (failure === undefined) continue;
    if (answers.length === 0) throw failure;
    const id = circle.servers[index]?.id ?? "";
    call.evidence.warn("answer/partial-servers", `The server ${id} did not answer: ${failure.message}`, {
      server_id: id,
      code: failure.code,
    });
  }
  return answers;
}

/** Refusals about what the call named: another server would say the same. */
function isTheCallers(refusal: Refusal): boolean {
  return refusal.code.startsWith("guard/");
}
