/** What the proxy says about itself in a handshake: name, version, capabilities and instructions, for both SDKs. */

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
