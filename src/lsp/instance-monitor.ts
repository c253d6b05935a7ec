/**
 * Watches a running instance between calls: stops it when it is idle, restarts it after its interval, and kills it when
 * it exceeds its limits of memory or processes. A busy instance is neither stopped nor restarted.
 */
import type { ServerPlan } from "../abi/plan.js";
import type { Instance } from "./instance.js";

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
  readonly #context: InstanceMonitorContext;
  #idle: NodeJS.Timeout | undefined;
  #checks: NodeJS.Timeout | undefined;

  constructor(context: InstanceMonitorContext) {
    this.#context = context;
  }

  start(instance: Instance): void {
    this.stop();
    this.used();
    const { limits, restartIntervalMinutes } = this.#context.plan;
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
    const { plan, isBusy, retire } = this.#context;
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
    const { plan, isBusy, retire, kill } = this.#context;
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
