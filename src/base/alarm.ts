/**
 * Time limits that are hardly ever reached. Node's timers are cheap where many have one duration; limits have each their own, and to
 * make and clear two or three of them was a twentieth of a call. So all limits wait for one timer, which goes off when the
 * first of them may have ended, and nothing is done when one is called off.
 */

/** A limit that is waited for. */
export interface Alarm {
  /** When it ends, on the clock of `performance`. */
  readonly at: number;
  readonly ring: () => void;
}

/** Node's longest timer. */
const MOST_MS = 2 ** 31 - 1;
/** Timers may go off so much early. */
const EARLY_MS = 1;

const pending = new Set<Alarm>();
let timer: NodeJS.Timeout | undefined;
/** When the timer goes off. */
let due = Number.POSITIVE_INFINITY;

/** Rings after a time, unless it is called off before. As a timer would, it keeps the process running. */
export function setAlarm(ring: () => void, ms: number): Alarm {
  const alarm: Alarm = { at: performance.now() + ms, ring };
  pending.add(alarm);
  if (alarm.at < due) wait(alarm.at);
  else if (pending.size === 1) timer?.ref();
  return alarm;
}

/** Calls an alarm off. */
export function clearAlarm(alarm: Alarm): void {
  pending.delete(alarm);
  if (pending.size === 0) timer?.unref();
}

function wait(until: number): void {
  clearTimeout(timer);
  due = until;
  timer = setTimeout(check, Math.min(MOST_MS, Math.max(1, until - performance.now())));
}

function check(): void {
  timer = undefined;
  due = Number.POSITIVE_INFINITY;
  const now = performance.now() + EARLY_MS;
  const over: Alarm[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const alarm of pending)
    if (alarm.at <= now) over.push(alarm);
    else next = Math.min(next, alarm.at);
  for (const alarm of over) pending.delete(alarm);
  if (next < due) wait(next);
  for (const { ring } of over) ring();
}
