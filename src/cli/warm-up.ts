/** Starts the servers of a workspace and waits until they have done their first work. */
import { delay } from "../base/timing.js";
import type { LanguageServer } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";

const FIRST_SIGN_MS = 1_000;

export async function warmUp(runtime: Runtime, waitMs: number, signal: AbortSignal): Promise<void> {
  await runtime.warmup();
  await Promise.all(
    runtime.pool.running().map((server) => waitUntilReady(server, waitMs, signal).catch(() => undefined)),
  );
}

/** Waits until a server has done its work. One that says nothing at first may begin it a moment later. */
async function waitUntilReady(server: LanguageServer, waitMs: number, signal: AbortSignal): Promise<void> {
  if ((await server.waitUntilReady(waitMs, signal)) !== "unknown") return;
  await delay(Math.min(waitMs, FIRST_SIGN_MS), signal);
  await server.waitUntilReady(waitMs, signal);
}
