/** The proxy's name and capabilities in a handshake, for both SDKs, and notifications that its lists have changed. */
import type { Runtime } from "../runtime/runtime.js";
import { promptAndResourceCapabilities } from "./prompts-and-resources.js";

/**
 * The two arguments of an SDK's `Server`. A version in the config replaces the proxy's own. `mayChange` where another
 * config may be opened later, `subscribe` where the protocol version has sessions.
 */
export function serverInfo(
  { loaded, version }: Runtime,
  { mayChange, subscribe }: { mayChange: boolean; subscribe: boolean },
) {
  const { mcp } = loaded.plan;
  return {
    implementation: { name: mcp.name, version: mcp.version ?? version },
    options: {
      capabilities: {
        // A changed config changes them.
        tools: { listChanged: true },
        ...promptAndResourceCapabilities(loaded.plan, { mayChange, subscribe }),
      },
      ...(mcp.instructions === "" ? {} : { instructions: mcp.instructions }),
    },
  };
}

/** A `Server` of either SDK. */
interface ListSender {
  sendToolListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
  sendResourceListChanged(): Promise<void>;
}

/** Tells the client that the lists may have changed: of tools, and of what its handshake announced besides. */
export function sendListsChanged(
  server: ListSender,
  { prompts, resources }: { prompts?: unknown; resources?: unknown },
): void {
  const sent = [server.sendToolListChanged()];
  if (prompts !== undefined) sent.push(server.sendPromptListChanged());
  if (resources !== undefined) sent.push(server.sendResourceListChanged());
  // A session may outlive the connection of its client, which then gets no notification.
  for (const notification of sent) notification.catch(() => undefined);
}
