/**
 * The end of one running server, asked for or not: from its beginning on nothing is taken any more, and everything that
 * waits hears of it at once.
 */
import { Refusal } from "../../base/problem.js";
import type { ReadinessState } from "../readiness.js";
import type { Wire } from "../wire/wire.js";
import type { Transport } from "./launch.js";
import { askToEnd } from "./shutdown.js";

interface Ended {
  /** The server's id. */
  name: string;
  wire: Wire;
  transport: Transport;
  readiness: ReadinessState;
}

export class ServerEnd {
  readonly #server: Ended;
  #begun = false;

  constructor(server: Ended) {
    const { wire, readiness } = server;
    this.#server = server;
    void wire.over.then((reason) => {
      if (!readiness.death) readiness.died(this.#death(reason));
    });
  }

  /** Whether it has begun, or the process is gone. */
  get begun(): boolean {
    return this.#begun || this.#server.wire.dead;
  }

  /** What is being shut down takes no more questions; whoever asks is sent on to the next start. */
  refuseWhenAsked(): void {
    if (this.#begun) throw this.#death("was stopped");
  }

  /** Asks the server to end, then makes it; resolves when its whole process group is gone. `farewell` goes before. */
  async ask(farewell: () => void): Promise<void> {
    const { transport, wire, readiness } = this.#server;
    if (this.#begun) return transport.kill();
    this.#begun = true;
    if (transport.pid !== null && !wire.dead && readiness.now !== "starting") {
      farewell();
      await askToEnd(wire, transport);
    }
    await this.force("was stopped");
  }

  /** Ends the process group at once; what is pending is refused with this reason. */
  async force(reason: string): Promise<void> {
    const { transport, wire, readiness } = this.#server;
    this.#begun = true;
    const death = this.#death(reason);
    wire.fail(death);
    readiness.died(death);
    await transport.kill();
  }

  #death(reason: string): Refusal {
    return new Refusal("lsp/exited", `server "${this.#server.name}" ${reason}`);
  }
}
