/**
 * The life of a running server: it is stopped when idle, when it uses too much memory or has too many processes,
 * and restarted at intervals; its shutdown is asked for first and forced then.
 */
import type { ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { withTimeout } from "../base/timing.js";
import type { Instance } from "./instance.js";
import type { Transport } from "./process/launch.js";
import type { ReadinessState } from "./readiness.js";
import type { ServerConnection } from "./wire/connection.js";

const CHECK_MS = 2_000;

export interface InstanceMonitorContext {
  plan: ServerPlan;
  isBusy: () => boolean;
  /** Shuts the instance down; the next call starts another. */
  retire: (why: string) => void;
  /** Kills the instance; the reason is shown to the agent. */
  kill: (why: string) => void;
}

export class InstanceMonitor {
  #idle: NodeJS.Timeout | undefined;
  #checks: NodeJS.Timeout | undefined;

  constructor(private readonly context: InstanceMonitorContext) {}

  start(instance: Instance): void {
    this.stop();
    this.used();
    const { limits, restartIntervalMinutes } = this.context.plan;
    if (limits.memoryMb === null && limits.processes === null && restartIntervalMinutes <= 0) return;
    this.#checks = setInterval(() => this.#check(instance), CHECK_MS);
    this.#checks.unref();
  }

  /** Restarts the idle time. */
  used(): void {
    if (this.#idle !== undefined) {
      this.#idle.refresh();
      return;
    }
    const { plan, isBusy, retire } = this.context;
    if (plan.idleShutdownMs <= 0) return;
    this.#idle = setTimeout(() => (isBusy() ? this.used() : retire("idle")), plan.idleShutdownMs);
    this.#idle.unref();
  }

  stop(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    clearInterval(this.#checks);
  }

  #check(instance: Instance): void {
    const { plan, isBusy, retire, kill } = this.context;
    const excess = excessOf(plan.limits, instance);
    if (excess !== undefined) {
      kill(`${excess}, and was ended`);
      return;
    }
    const age = performance.now() - instance.startedAt;
    const interval = plan.restartIntervalMinutes * 60_000;
    if (interval > 0 && age > interval && !isBusy()) retire("periodic");
  }
}

/** Which limit an instance exceeds, if any. */
function excessOf({ memoryMb, processes }: ServerPlan["limits"], instance: Instance): string | undefined {
  const used = memoryMb === null ? null : instance.transport.memoryMb();
  if (memoryMb !== null && used !== null && used > memoryMb)
    return `used ${used} MB of memory, over limits.memory_mb = ${memoryMb}`;
  const running = processes === null ? null : instance.transport.processes();
  if (processes !== null && running !== null && running > processes)
    return `had ${running} processes, over limits.processes = ${processes}`;
  return undefined;
}

const SHUTDOWN_MS = 2_000;
const EXIT_MS = 1_000;

interface RunningServer {
  name: string;
  connection: ServerConnection;
  transport: Transport;
  readiness: ReadinessState;
}

export class ServerShutdown {
  #hasBegun = false;

  constructor(private readonly server: RunningServer) {
    void server.connection.ended.then((reason) => server.readiness.died(this.#refusal(reason)));
  }

  /** Whether the server is being ended or has ended. */
  get hasBegun(): boolean {
    return this.#hasBegun || this.server.connection.hasFailed;
  }

  /** Refuses new requests during the shutdown; the caller goes on to the next start. */
  refuseWhenStopping(): void {
    if (this.#hasBegun) throw this.#refusal("was stopped");
  }

  /** Asks the server to end, then kills it. Resolves when its process group is gone. `before` runs first. */
  async stop(before: () => void): Promise<void> {
    const { transport, connection, readiness } = this.server;
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
    const { transport, connection, readiness } = this.server;
    this.#hasBegun = true;
    const refusal = this.#refusal(reason);
    connection.fail(refusal);
    readiness.died(refusal);
    await transport.kill();
  }

  /** Sends `shutdown` and `exit`, and gives the process a moment to end. Servers may fail to answer. */
  async #askToExit(): Promise<void> {
    const { transport, connection } = this.server;
    await connection.request("shutdown", undefined, { timeoutMs: SHUTDOWN_MS }).catch(() => undefined);
    connection.notify("exit");
    await withTimeout(transport.ended, EXIT_MS);
  }

  #refusal(reason: string): Refusal {
    return new Refusal("lsp/exited", `server "${this.server.name}" ${reason}`);
  }
}
