/** How much of a call's time the calls within it get. */

const mostReserveMs = 2000;
const reserveShare = 0.1;
/** Less than this is no time to ask anything in. */
const leastMs = 20;

/** What is left for calls within a call: some of its time is kept for the answer that is made of theirs. */
export function timeWithin(timeoutMs: number, remainingMs: number): number {
  const left = remainingMs - Math.min(mostReserveMs, timeoutMs * reserveShare);
  return isTimeToAsk(left) ? left : 0;
}

/** Whether so many milliseconds are enough to ask anything in. */
export function isTimeToAsk(ms: number): boolean {
  return ms >= leastMs;
}
