/** A stop is heard as an `AbortSignal` is. */
import { expect, it } from "vitest";
import { Stop, type StopSignal } from "../../src/base/stop.js";

/** The same story told by both: what each listener heard, and what the signal says then. */
function story(signal: StopSignal, abort: (reason?: unknown) => void, reason?: unknown) {
  const heard: string[] = [];
  const last = () => heard.push("last");
  const never = () => heard.push("never");
  const second = () => heard.push("second");
  signal.addEventListener("abort", () => {
    heard.push(`first ${signal.aborted}`);
    signal.removeEventListener("abort", last);
    abort("again");
  });
  signal.addEventListener("abort", second, { once: true });
  signal.addEventListener("abort", never);
  signal.addEventListener("abort", last);
  signal.removeEventListener("abort", never);
  signal.throwIfAborted();
  abort(reason);
  signal.addEventListener("abort", never);
  let thrown: unknown;
  try {
    signal.throwIfAborted();
  } catch (error) {
    thrown = error;
  }
  return { heard, aborted: signal.aborted, reason: signal.reason, isThrown: thrown === signal.reason };
}

it.each([[undefined], ["why"], [new Error("why")]])("with the reason %s", (reason) => {
  const controller = new AbortController();
  const stop = new Stop();
  const theirs = story(controller.signal, (why) => controller.abort(why), reason);
  const ours = story(stop, (why) => stop.abort(why), reason);
  expect(ours).toEqual(theirs);
  expect(ours.heard).toEqual(["first true", "second"]);
  expect((stop.reason as Error).name).toBe((controller.signal.reason as Error).name);
});
