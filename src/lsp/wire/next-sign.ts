/** Waiting for whichever comes first: a sign from somewhere, a time, or the end of the call. */
import { cancelled } from "./cancel.js";

/** Calls back on every sign, until the function that it gives is called. */
export type Signs = (wake: () => void) => () => void;

/** Resolves at the next sign of any source, or after the time; rejects when the signal aborts. */
export function nextSign(sources: readonly Signs[], timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(cancelled(signal));
  return new Promise((resolve, reject) => {
    const finish = (end: () => void): void => {
      clearTimeout(timer);
      for (const stop of stops) stop();
      signal.removeEventListener("abort", onAbort);
      end();
    };
    const wake = (): void => finish(resolve);
    const onAbort = (): void => finish(() => reject(cancelled(signal)));
    const timer = setTimeout(wake, Math.max(1, Math.min(timeoutMs, 2 ** 30)));
    const stops = sources.map((source) => source(wake));
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
