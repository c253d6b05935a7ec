/**
 * Monitors a running server (idle time, memory, processes, restart interval), shuts it down, and computes the backoff
 * after crashes.
 */
import type { ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { startTimer, withTimeout } from "../base/timing.js";
import type { Instance } from "./instance.js";
import type { Slot } from "./slot.js";
import type { ServerConnection } from "./wire/connection.js";

const CHECK_MS = 2_000;

export class InstanceMonitor {
  #idle: NodeJS.Timeout | undefined;
  #checks: NodeJS.Timeout | undefined;

  constructor(private readonly slot: Slot) {}

  start(instance: Instance): void {
    this.stop();
    this.#stopWhenIdle();
    const { limits, restartIntervalMinutes } = this.slot.plan;
    if (limits.memoryMb === null && limits.processes === null && restartIntervalMinutes <= 0) return;
    this.#checks = setInterval(() => this.#check(instance), CHECK_MS);
    this.#checks.unref();
  }

  #stopWhenIdle(): void {
    const { slot } = this;
    const { idleShutdownMs } = slot.plan;
    if (idleShutdownMs <= 0) return;
    const leftMs = slot.lastUsed + idleShutdownMs - performance.now();
    const isOver = leftMs <= 0 && !slot.isBusy;
    if (isOver) slot.retire("idle");
    else this.#idle = startTimer(() => this.#stopWhenIdle(), leftMs > 0 ? leftMs : idleShutdownMs).unref();
  }

  stop(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    clearInterval(this.#checks);
  }

  #check(instance: Instance): void {
    const { slot } = this;
    const { plan } = slot;
    const excess = excessOf(plan.limits, instance);
    const age = performance.now() - instance.startedAt;
    const interval = plan.restartIntervalMinutes * 60_000;
    if (excess !== undefined) slot.kill(`${excess}, and was ended`);
    else if (interval > 0 && age > interval && !slot.isBusy) slot.retire("periodic");
  }
}

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

export class ServerShutdown {
  isStopping = false;

  constructor(
    private readonly instance: Instance,
    private readonly connection: ServerConnection,
  ) {
    void connection.ended.then((reason) => instance.readiness.died(this.refusal(reason)));
  }

  /** Asks the server to end, then kills it. Resolves when its process group is gone. `before` runs first. */
  async stop(before: () => void): Promise<void> {
    const { connection } = this;
    const { transport, readiness } = this.instance;
    if (this.isStopping) return transport.kill();
    this.isStopping = true;
    if (transport.pid !== null && !connection.hasFailed && readiness.now !== "starting") {
      before();
      // Servers may fail to answer.
      await connection.request("shutdown", undefined, { timeoutMs: SHUTDOWN_MS }).catch(() => undefined);
      connection.notify("exit");
      await withTimeout(transport.ended, EXIT_MS);
    }
    await this.kill("was stopped");
  }

  /** Kills the process group at once; pending requests are refused with this reason. */
  async kill(reason: string): Promise<void> {
    this.isStopping = true;
    const killed = this.connection.end(reason);
    this.instance.readiness.died(this.refusal(reason));
    await killed;
  }

  refusal(reason: string): Refusal {
    return new Refusal("lsp/exited", `server "${this.instance.plan.id}" ${reason}`);
  }
}

/** The crashes of one server within a time window: how long the next start waits, and when there were too many. */
export class CrashWindow {
  #times: number[] = [];

  constructor(private readonly rules: ServerPlan["restart"]) {}

  add(): void {
    this.#times.push(performance.now());
  }

  clear(): void {
    this.#times = [];
  }

  get count(): number {
    return this.#recent().length;
  }

  /** Whether there were more crashes than restarts are allowed. */
  get isExceeded(): boolean {
    return this.count > this.rules.max;
  }

  /** Milliseconds until a start is allowed again. */
  get exceededMs(): number {
    const { max, windowMs } = this.rules;
    return (this.#recent().at(-max - 1) ?? 0) + windowMs - performance.now();
  }

  /** Milliseconds left of the backoff after the last crash. It doubles from the first to the second bound. */
  get backoffMs(): number {
    const times = this.#recent();
    const last = times.at(-1);
    if (last === undefined) return 0;
    const [min, max] = this.rules.backoffMs;
    return Math.max(0, last + Math.min(max, min * 2 ** (times.length - 1)) - performance.now());
  }

  #recent(): number[] {
    const since = performance.now() - this.rules.windowMs;
    this.#times = this.#times.filter((time) => time > since);
    return this.#times;
  }
}
