/** How much of a call's time is given to the calls within it. */

const mostReserveMs = 2000;
const reserveShare = 0.1;
/** Less time than this is not enough to send a request. */
const leastMs = 20;

/** The time for calls within a call: a part is kept back for building the answer from theirs. */
export function timeWithin(timeoutMs: number, remainingMs: number): number {
  const left = remainingMs - Math.min(mostReserveMs, timeoutMs * reserveShare);
  return isTimeToAsk(left) ? left : 0;
}

/** Whether there is enough time to send a request. */
export function isTimeToAsk(ms: number): boolean {
  return ms >= leastMs;
}
