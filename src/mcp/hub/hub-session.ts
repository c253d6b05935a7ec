/** One client of a hub, served like one on stdio: its own calls, cursors and previews, in the runtime of all. */
import type { Socket } from "node:net";
import { privateLine } from "../../hub/lines.js";
import type { Log } from "../../lsp/types.js";
import type { ClientMemory } from "../../runtime/memory-watch.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { CallLimit } from "../call-types.js";
import { SessionCalls } from "../calls.js";
import { roomFor } from "../http/call-slots.js";
import { serveClient } from "../stdio.js";
import { StreamTransport } from "../stream-transport.js";
import type { TrustOffer } from "../trust-question.js";

interface HubSessionOptions {
  runtime: Runtime;
  log: Log;
  socket: Socket;
  /** Names the client, also after it has changed the hub; only it can undo its edits. */
  holder: string | undefined;
  trust: TrustOffer | undefined;
  /** All sessions of the hub. */
  others: ReadonlySet<HubSession>;
}

const KEPT = "http.max_calls, of which a part is kept for sessions with few calls";

export class HubSession {
  readonly #calls: SessionCalls;
  readonly #transport: StreamTransport;

  constructor(private readonly options: HubSessionOptions) {
    const { runtime, socket, holder, trust } = options;
    const session = runtime.openSession(holder === undefined ? {} : { holder });
    this.#calls = new SessionCalls(runtime, session, { trust, limit: () => this.#callLimit() });
    this.#transport = new StreamTransport(socket, socket);
  }

  get memory(): ClientMemory {
    return { heldBytes: this.options.socket.writableLength, end: () => this.destroy() };
  }

  /** Serves the client until it has left. */
  async serve(): Promise<void> {
    const { runtime, log, socket } = this.options;
    const client = { runtime, calls: this.#calls, transport: this.#transport, log };
    const served = serveClient(client);
    // It was paused after the first line, which was not for the client.
    socket.resume();
    await served;
    this.#calls.end();
  }

  /** Tells the client to leave when its running calls are answered. */
  drain(lazy: boolean): void {
    this.options.socket.write(privateLine("drain", { lazy }));
  }

  destroy(): void {
    this.options.socket.destroy();
  }

  /**
   * How many calls this session may run now: its own limit, and what the others leave of the limit for all. While there
   * are others, a part of all is kept for the sessions with few calls.
   */
  #callLimit(): CallLimit {
    const { runtime, others: all } = this.options;
    const { maxCalls, maxCallsPerSession } = runtime.loaded.plan.http;
    const others = [...all].reduce((sum, other) => sum + (other === this ? 0 : other.#calls.running), 0);
    const room = roomFor(this.#calls.running + 1, maxCalls, () => all.size > 1);
    const left = room - others;
    if (maxCallsPerSession <= left)
      return { most: maxCallsPerSession, setting: "http.max_calls_per_session", others: 0 };
    return { most: left, setting: room < maxCalls ? KEPT : "http.max_calls", others };
  }
}
