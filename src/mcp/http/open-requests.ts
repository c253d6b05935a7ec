/** The requests that are not fully answered, by client: how much memory they hold, and how they are ended. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientMemory } from "../../runtime/memory-watch.js";
import { onceClosed } from "./exchange.js";

export class OpenRequests {
  /** By client: each response, with a function that gives the bytes of its request so far. */
  readonly #clients = new Map<string, Map<ServerResponse, () => number>>();

  add(holder: string, { socket, headers }: IncomingMessage, outgoing: ServerResponse): void {
    const client = `${holder} ${headers["mcp-session-id"] ?? ""}`;
    const own = this.#clients.get(client) ?? new Map<ServerResponse, () => number>();
    this.#clients.set(client, own);
    const before = socket.bytesRead;
    own.set(outgoing, () => socket.bytesRead - before);
    onceClosed(outgoing, () => {
      own.delete(outgoing);
      if (own.size === 0 && this.#clients.get(client) === own) this.#clients.delete(client);
    });
  }

  /** The memory held for each client, received or unread. Ending it closes its connections, which cancels its calls. */
  memory(): ClientMemory[] {
    return [...this.#clients.values()].map((own) => ({
      heldBytes: [...own].reduce(
        (sum, [outgoing, received]) => sum + outgoing.writableLength + received(),
        0,
      ),
      end: () => {
        for (const outgoing of own.keys()) outgoing.destroy();
      },
    }));
  }
}
