/** Ends one running server, asked for or not: no further requests are accepted, and everything that waits is refused. */
import { Refusal } from "../../base/problem.js";
import { withTimeout } from "../../base/timing.js";
import type { ReadinessState } from "../readiness.js";
import type { ServerConnection } from "../wire/connection.js";
import type { Transport } from "./launch.js";

const SHUTDOWN_MS = 2_000;
const EXIT_MS = 1_000;

interface RunningServer {
  name: string;
  connection: ServerConnection;
  transport: Transport;
  readiness: ReadinessState;
}

export class ServerShutdown {
  readonly #server: RunningServer;
  #hasBegun = false;

  constructor(server: RunningServer) {
    this.#server = server;
    void server.connection.ended.then((reason) => server.readiness.died(this.#refusal(reason)));
  }

  /** Whether the server is being ended or has ended. */
  get hasBegun(): boolean {
    return this.#hasBegun || this.#server.connection.hasFailed;
  }

  /** Refuses new requests during the shutdown; the caller goes on to the next start. */
  refuseWhenStopping(): void {
    if (this.#hasBegun) throw this.#refusal("was stopped");
  }

  /** Asks the server to end, then kills it. Resolves when its process group is gone. `before` runs first. */
  async stop(before: () => void): Promise<void> {
    const { transport, connection, readiness } = this.#server;
    if (this.#hasBegun) return transport.kill();
    this.#hasBegun = true;
    if (transport.pid !== null && !connection.hasFailed && readiness.now !== "starting") {
      before();
      await this.#askToExit();
    }
    await this.kill("was stopped");
  }

  /** Kills the process group at once; pending requests are refused with this reason. */
  async kill(reason: string): Promise<void> {
    const { transport, connection, readiness } = this.#server;
    this.#hasBegun = true;
    const refusal = this.#refusal(reason);
    connection.fail(refusal);
    readiness.died(refusal);
    await transport.kill();
  }

  /** Sends `shutdown` and `exit`, and gives the process a moment to end. Servers may fail to answer. */
  async #askToExit(): Promise<void> {
    const { transport, connection } = this.#server;
    await connection.request("shutdown", undefined, { timeoutMs: SHUTDOWN_MS }).catch(() => undefined);
    connection.notify("exit");
    await withTimeout(transport.ended, EXIT_MS);
  }

  #refusal(reason: string): Refusal {
    return new Refusal("lsp/exited", `server "${this.#server.name}" ${reason}`);
  }
}
