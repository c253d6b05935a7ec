/** Listens to the runtime of a session, also after the session has switched to another one. */
import type { SessionCalls } from "./calls.js";

/** Calls the listener until the session ends: at these events of its runtime, and when it uses another runtime. */
export function listenToRuntime(
  calls: Pick<SessionCalls, "runtime" | "session" | "onSwitched">,
  events: readonly ("onActivity" | "onUpdated")[],
  listener: () => void,
): () => void {
  let stop = (): void => undefined;
  const start = (): void => {
    stop();
    const stops = events.map((event) => calls.runtime[event](listener));
    stop = () => {
      for (const stopEvent of stops) stopEvent();
    };
    calls.session.closed.addEventListener("abort", stop, { once: true });
  };
  start();
  const forget = calls.onSwitched(() => {
    start();
    listener();
  });
  return () => {
    forget();
    stop();
  };
}
