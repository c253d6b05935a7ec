/** What the proxy says about itself in a handshake: name, version, capabilities and instructions, for both SDKs. */

import type { Runtime } from "../runtime/runtime.js";
import { catalogueCapabilities } from "./catalogue.js";

/** The two arguments of an SDK's `Server`. A version in the config replaces the proxy's own. */
export function serverInfo({ loaded, version }: Runtime) {
  const { mcp } = loaded.plan;
  return {
    implementation: { name: mcp.name, version: mcp.version ?? version },
    options: {
      capabilities: {
        // A changed config, or trust, changes them.
        tools: { listChanged: true },
        ...catalogueCapabilities(loaded.plan),
      },
      ...(mcp.instructions === "" ? {} : { instructions: mcp.instructions }),
    },
  };
}
