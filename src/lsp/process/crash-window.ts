/** Counts the crashes of one server within a time window: how long the next start waits, and when there were too many. */
import type { ServerPlan } from "../../abi/plan.js";

export class CrashWindow {
  #times: number[] = [];

  constructor(private readonly rules: ServerPlan["restart"]) {}

  /** Records a crash now. */
  add(): void {
    this.#times.push(performance.now());
  }

  clear(): void {
    this.#times = [];
  }

  /** Crashes within the window. */
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
