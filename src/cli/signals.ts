/** The signals that end this process. */
import { sharedAbortController } from "../base/timing.js";

/** A signal that is aborted when the process receives one of these signals. */
export function abortOn(...names: NodeJS.Signals[]): AbortSignal {
  const controller = sharedAbortController();
  for (const name of names) process.once(name, () => controller.abort());
  return controller.signal;
}
