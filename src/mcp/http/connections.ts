/**
 * Limits the connections of the gateway. When there are too many, one that has shown no valid token is closed first,
 * then one without a running request, the oldest of each. So silent connections lock nobody out.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const MAX_CONNECTIONS = 1024;

export class Connections {
  readonly #open = new Set<Socket>();
  /** Without a valid token so far, and idle with one. In both the oldest is first. */
  readonly #unauthenticated = new Set<Socket>();
  readonly #idle = new Set<Socket>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => this.#add(socket));
  }

  /** Notes that a request with a valid token came; its connection is not closed until it is answered. */
  admit(socket: Socket, outgoing: ServerResponse): void {
    this.#unauthenticated.delete(socket);
    this.#idle.delete(socket);
    outgoing.once("close", () => {
      if (this.#open.has(socket)) this.#idle.add(socket);
    });
  }

  #add(socket: Socket): void {
    this.#open.add(socket);
    this.#unauthenticated.add(socket);
    socket.once("close", () => this.#forget(socket));
    if (this.#open.size <= MAX_CONNECTIONS) return;
    const [unauthenticated = socket] = this.#unauthenticated;
    const [idle = socket] = this.#idle;
    // Where all others have shown a token, the only one without is the new connection itself.
    const closed = unauthenticated === socket ? idle : unauthenticated;
    this.#forget(closed);
    closed.destroy();
  }

  #forget(socket: Socket): void {
    for (const sockets of [this.#open, this.#unauthenticated, this.#idle]) sockets.delete(socket);
  }
}
