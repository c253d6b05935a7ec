/** The deaths of one server within its window: how long the next start waits, and when there were too many. */
import type { ServerPlan } from "../../abi/plan.js";

export class Deaths {
  readonly #rules: ServerPlan["restart"];
  #times: number[] = [];

  constructor(rules: ServerPlan["restart"]) {
    this.#rules = rules;
  }

  /** One more, now. */
  add(): void {
    this.#times.push(performance.now());
  }

  /** Forgets them all. */
  clear(): void {
    this.#times = [];
  }

  /** How many lie within the window. */
  get count(): number {
    return this.#recent().length;
  }

  /** Whether there were more than restarts are allowed. */
  get tooMany(): boolean {
    return this.count > this.#rules.max;
  }

  /** Milliseconds until there are no longer too many. */
  get brokenMs(): number {
    const { max, windowMs } = this.#rules;
    return (this.#recent().at(-max - 1) ?? 0) + windowMs - performance.now();
  }

  /** What is left of the pause after the last one: doubling from the first to the second bound. */
  get pauseMs(): number {
    const times = this.#recent();
    const last = times.at(-1);
    if (last === undefined) return 0;
    const [least, most] = this.#rules.backoffMs;
    return Math.max(0, last + Math.min(most, least * 2 ** (times.length - 1)) - performance.now());
  }

  #recent(): number[] {
    const since = performance.now() - this.#rules.windowMs;
    this.#times = this.#times.filter((time) => time > since);
    return this.#times;
  }
}
