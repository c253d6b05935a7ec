/**
 * Looks after a running instance between calls: it is stopped when nobody has used it for a while, started anew after its
 * interval, and ended when it holds more memory or processes than it may. What is busy is neither stopped nor renewed.
 */
import type { ServerPlan } from "../abi/plan.js";
import type { Instance } from "./instance.js";

const CHECK_MS = 2_000;

export interface UpkeepContext {
  plan: ServerPlan;
  isBusy: () => boolean;
  /** Ends the instance in good order. */
  retire: (why: string) => void;
  /** Ends the instance at once, for a reason that the agent hears. */
  condemn: (why: string) => void;
}

export class Upkeep {
  readonly #context: UpkeepContext;
  #idle: NodeJS.Timeout | undefined;
  #checks: NodeJS.Timeout | undefined;

  constructor(context: UpkeepContext) {
    this.#context = context;
  }

  /** Begins for a new instance. */
  begin(instance: Instance): void {
    this.end();
    this.used();
    const { limits, restartIntervalMinutes } = this.#context.plan;
    if (limits.memoryMb === null && limits.processes === null && restartIntervalMinutes <= 0) return;
    this.#checks = setInterval(() => this.#check(instance), CHECK_MS);
    this.#checks.unref();
  }

  /** The instance was used just now. */
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

  end(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    clearInterval(this.#checks);
  }

  #check(instance: Instance): void {
    const { plan, isBusy, retire, condemn } = this.#context;
    const { memoryMb } = plan.limits;
    const used = memoryMb === null ? null : instance.memoryMb;
    if (memoryMb !== null && used !== null && used > memoryMb) {
      condemn(`used ${used} MB of memory, over limits.memory_mb = ${memoryMb}, and was ended`);
      return;
    }
    const { processes } = plan.limits;
    const running = processes === null ? null : instance.processes;
    if (processes !== null && running !== null && running > processes) {
      condemn(`had ${running} processes, over limits.processes = ${processes}, and was ended`);
      return;
    }
    const age = performance.now() - instance.startedAt;
    const interval = plan.restartIntervalMinutes * 60_000;
    if (interval > 0 && age > interval && !isBusy()) retire("periodic");
  }
}
