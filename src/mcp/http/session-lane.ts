/**
 * The plain calls of one session over HTTP: they pass the SDK and the web's streams, and go from the request's body to the
 * session and back to the connection. What came another way (in a batch) is answered through the SDK's transport.
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallLane, type Id } from "../call-lane.js";
import type { SessionCalls } from "../calls.js";
import { DirectAnswer, type Exchange } from "./direct-answer.js";

/** What a session's lane lies beside. */
export interface LaneSurroundings {
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  calls: SessionCalls;
  /** Whether a client that has roots is asked for them before it is answered, which is the SDK's to do. */
  narrow: boolean;
}

/** The lane of one session; sees what comes to the SDK's transport first. */
export class SessionLane {
  readonly #around: LaneSurroundings;
  readonly #lane: CallLane;
  readonly #answers = new Map<Id, DirectAnswer>();

  constructor(around: LaneSurroundings) {
    this.#around = around;
    const { server, transport, calls } = around;
    this.#lane = new CallLane({
      calls,
      client: () => server.getClientVersion()?.name,
      send: (message, relatedRequestId) => transport.send(message, { relatedRequestId }),
    });
    const { onmessage, onclose } = transport;
    transport.onmessage = (message, extra) => {
      if (this.#mustAsk() || !this.#lane.take(message)) onmessage?.(message, extra);
    };
    transport.onclose = () => {
      for (const answer of this.#answers.values()) answer.end();
      this.#lane.close();
      onclose?.();
    };
  }

  /** Answers a body that is a plain call, and nothing else, on its own connection; undefined for any other. */
  answer(body: unknown, exchange: Exchange): Promise<void> | undefined {
    const call = this.#mustAsk() ? undefined : this.#lane.recognise(body);
    if (call === undefined) return undefined;
    const answer = new DirectAnswer(exchange, this.#around.transport.sessionId ?? "");
    this.#answers.set(call.id, answer);
    this.#lane.begin(call, (message) => answer.send(message));
    return answer.done.then(() => void this.#answers.delete(call.id));
  }

  /** Ends the answer to a call that was taken back. */
  end(id: Id): void {
    this.#answers.get(id)?.end();
  }

  #mustAsk(): boolean {
    return this.#around.narrow && this.#around.server.getClientCapabilities()?.roots !== undefined;
  }
}
