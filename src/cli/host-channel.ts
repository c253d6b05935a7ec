/** Opens the channel of the program that started the proxy, and says when that program is gone. */
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Log } from "../lsp/types.js";
import { connectHost, type HostConnection, type HostMethod } from "../lsp/wire/host-connection.js";
import { type HostContext, hostMethods } from "../mcp/host-methods.js";
import type { HostLink, OpenHost } from "../mcp/stdio.js";
import type { Opened } from "./open.js";

const SHUTDOWN = "lsp/shutdown";

/** The channel on two streams, for the calls of a session. */
export function hostOpener(
  { runtime, base }: Pick<Opened, "runtime" | "base">,
  channel: HostContext["channel"],
  streams: { input: Readable; output: Writable },
  log: Log,
): OpenHost {
  const { limits, workspace } = runtime.loaded.plan;
  const folder = resolve(base, workspace.roots[0] ?? ".");
  return (calls): HostLink => {
    let onShutdown = (): void => undefined;
    const shutDown = new Promise<void>((resolve) => {
      onShutdown = resolve;
    });
    const methods = hostMethods({ runtime, calls, channel, folder, log });
    const connection = connectHost({
      ...streams,
      maxBytes: limits.maxMessageBytes,
      methods: { ...methods, [SHUTDOWN]: doAfterAnswer(methods[SHUTDOWN], () => onShutdown()) },
      onProblem: (text) => log("warn", text),
    });
    return {
      ready: () => connection.notify("lsp/ready"),
      ended: connection.ended,
      left: Promise.race([shutDown, endOfUse(connection)]),
      close: () => connection.close(),
    };
  };
}

/** The method, and what is done once its answer is on its way. */
function doAfterAnswer(method: HostMethod | undefined, then: () => void): HostMethod {
  return async (params, signal) => {
    const answer = await method?.(params, signal);
    setImmediate(then);
    return answer;
  };
}

/** Resolves at the end of a channel on which the host has spoken. A host that only passed streams on may close them. */
function endOfUse(connection: HostConnection): Promise<void> {
  return connection.ended.then(() => (connection.isUsed ? undefined : new Promise<never>(() => undefined)));
}
