/**
 * Answers about files that stayed as they were. Places and hashes are true of one text: when a file that an answer shows
 * changed while it was asked about, the call is asked again, a few times; after that the answer says so.
 */
import { readFile } from "node:fs/promises";
import { sha256 } from "../../base/hash.js";
import { sortedSet } from "../../base/order.js";
import { type Soon, whenThere } from "../../base/soon.js";
import { Stop, type StopSignal } from "../../base/stop.js";
import type { Admitted } from "../../workspace/types.js";
import { type Stamp, type Stamps, stampsOf } from "../answer/stamps.js";
import type { CallState } from "../call-state.js";
import { Turns } from "../turns.js";

const mostAttempts = 3;
/** Clocks of file systems are coarse: what changed so shortly before may have changed just after. */
const coarseMs = 20;

/** One of the times that a call is asked. */
export interface Attempt {
  /** Wall-clock time before the first file was looked at. */
  startedAt: number;
  isFirst: boolean;
  isLast: boolean;
  /** Aborts when the call does, or when this attempt is in vain. */
  signal: StopSignal;
  /** What was asked is in vain: it is asked again at once. */
  giveUp(): void;
}

/** A file changed under a call that can be asked again. */
class ChangedMeanwhile extends Error {}

/** Asks, and asks again while files change under it; ends with the signal's reason as soon as that aborts. */
export function steadily<T>(outer: StopSignal, ask: (attempt: Attempt) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let stop = new Stop();
    const abort = () => {
      stop.abort(outer.reason);
      reject(outer.reason);
    };
    const given = (value: T) => {
      outer.removeEventListener("abort", abort);
      resolve(value);
    };
    const failed = (error: unknown) => {
      outer.removeEventListener("abort", abort);
      reject(error);
    };
    const begin = (times: number): Promise<T> => {
      const signal = new Stop();
      stop = signal;
      return ask({
        startedAt: Date.now(),
        isFirst: times === 1,
        isLast: times === mostAttempts,
        signal,
        giveUp: () => signal.abort(new ChangedMeanwhile()),
      });
    };
    const attempt = (times: number): void => {
      try {
        begin(times).then(given, (error: unknown) => {
          if (error instanceof ChangedMeanwhile && !outer.aborted) attempt(times + 1);
          else failed(error);
        });
      } catch (error) {
        failed(error);
      }
    };
    outer.addEventListener("abort", abort, { once: true });
    attempt(1);
  });
}

/** Makes a call that files changed under be asked again; the last time it warns. Gives how the files of the answer stand. */
export function insistOnSteady(call: CallState): Soon<Stamps> {
  const { attempt, mark, evidence } = call;
  // What is asked again is asked after a look at everything, which always holds.
  const proof = attempt === undefined ? undefined : mark?.holds();
  const both = whenThere(proof, (holds) => (holds === false ? holds : evidence.belief?.holds()));
  return whenThere(both, (holds) => {
    if (holds === false) throw new ChangedMeanwhile();
    return steadyFiles(call);
  });
}

function steadyFiles(call: CallState): Soon<Stamps> {
  const { evidence, places } = call;
  const shown = places.shown();
  const own = evidence.document?.admitted;
  const paths = own === undefined ? [] : [own.path];
  // The document in question is often among the files that are shown: once is enough.
  for (const { path } of shown) if (path !== own?.path) paths.push(path);
  const known = (path: string) => (path === own?.path ? undefined : places.stampOf(path));
  const found = stampsOf(paths, () => new Turns(call.signal), known);
  return whenThere(found, (stamps) =>
    call.attempt === undefined ? stamps : unlessChanged(call, call.attempt, shown, stamps),
  );
}

function unlessChanged(
  call: CallState,
  { startedAt, isLast }: Attempt,
  shown: readonly Admitted[],
  stamps: Stamps,
): Soon<Stamps> {
  return whenThere(changedSince(startedAt, call, shown, stamps), (changed) => {
    if (changed.length === 0) return stamps;
    if (!isLast) throw new ChangedMeanwhile();
    const names = changed.slice(0, 3).join(", ");
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : "";
    call.evidence.warn(
      "answer/changed-meanwhile",
      `${names}${more} changed each time while asked about; places in it may be off.`,
    );
    return stamps;
  });
}

/** The files of the answer that changed after a moment, as they are shown; a text is only read where the clock leaves doubt. */
function changedSince(
  startedAt: number,
  { evidence }: CallState,
  shown: readonly Admitted[],
  stamps: Stamps,
): Soon<string[]> {
  const { document } = evidence;
  const own = document?.admitted;
  const others: string[] = [];
  for (const { path, shown: name } of shown)
    if (path !== own?.path && (stamps.get(path)?.changedAt ?? 0) >= startedAt) others.push(name);
  if (document === undefined || own === undefined) return sortedSet(others);
  const withOwn = (isOther: boolean): string[] => sortedSet(isOther ? [own.shown, ...others] : others);
  if (!evidence.isSteady) return withOwn(true);
  const isOld = isOlder(stamps.get(own.path), startedAt);
  return isOld ? withOwn(false) : hasOtherText(own.path, document.hash).then(withOwn);
}

/** Whether a file changed so long before that its text need not be looked at. */
function isOlder(stamp: Stamp | undefined, startedAt: number): boolean {
  const at = stamp?.changedAt ?? Number.NEGATIVE_INFINITY;
  return at > Number.NEGATIVE_INFINITY && at < startedAt - coarseMs;
}

async function hasOtherText(path: string, hash: string): Promise<boolean> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined || sha256(bytes) !== hash;
}
