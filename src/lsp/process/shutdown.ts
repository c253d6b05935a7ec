/** Asks a server to end in the protocol's own way, for a bounded time; whether it did is the caller's to see. */

import type { Wire } from "../wire/wire.js";
import type { Transport } from "./launch.js";

const SHUTDOWN_MS = 2_000;
const EXIT_MS = 1_000;

/** Sends `shutdown`, then `exit`, and waits a moment for the process to go. */
export async function askToEnd(wire: Wire, transport: Transport): Promise<void> {
  // No parameters at all: TypeScript 7 rejects a null. Servers that know no shutdown are ended all the same.
  await wire.request("shutdown", undefined, SHUTDOWN_MS).catch(() => undefined);
  wire.notify("exit");
  await Promise.race([transport.ended, new Promise((done) => setTimeout(done, EXIT_MS).unref())]);
}
