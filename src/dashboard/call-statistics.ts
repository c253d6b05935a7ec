/** Sums over the calls of the last hour, for the charts: by minute and by tool. */
import { sortBy } from "../base/order.js";
import type { CallRow, MinutePoint, ToolTimes } from "./api.js";

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Of each tool, the last so many durations count. */
const MAX_DURATIONS = 200;

interface OfTool extends Pick<ToolTimes, "calls" | "errors" | "tokens"> {
  durations: number[];
}

export class CallStatistics {
  readonly #minutes = new Map<number, MinutePoint>();
  /** By name. There are no more than the plan has tools. */
  readonly #tools = new Map<string, OfTool>();

  add({ tool, outcome, tokens, time }: CallRow, now = Date.now()): void {
    const isError = outcome === "error" ? 1 : 0;
    const minute = this.#minute(minuteOf(now));
    const own = this.#tools.get(tool) ?? { calls: 0, errors: 0, tokens: 0, durations: [] };
    this.#tools.set(tool, own);
    for (const sum of [minute, own]) {
      sum.calls++;
      sum.errors += isError;
      sum.tokens += tokens ?? 0;
    }
    own.durations.push(time?.totalMs ?? 0);
    if (own.durations.length > MAX_DURATIONS) own.durations.shift();
  }

  /** The last hour, from the first minute with a call on. */
  minutes(now = Date.now()): MinutePoint[] {
    const last = minuteOf(now);
    const first = Math.min(last, ...this.#minutes.keys());
    const from = Math.max(first, last - (MINUTES - 1) * MINUTE_MS);
    const count = (last - from) / MINUTE_MS + 1;
    return Array.from({ length: count }, (_, index) => {
      const at = from + index * MINUTE_MS;
      return this.#minutes.get(at) ?? blank(at);
    });
  }

  tools(): ToolTimes[] {
    const rows = [...this.#tools].map(([tool, { durations, ...sums }]) => {
      const sorted = sortBy(durations, (ms) => [ms]);
      return { tool, ...sums, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
    });
    return sortBy(rows, ({ tool }) => [tool]);
  }

  #minute(at: number): MinutePoint {
    const known = this.#minutes.get(at) ?? blank(at);
    this.#minutes.set(at, known);
    for (const old of this.#minutes.keys()) {
      if (old <= at - MINUTES * MINUTE_MS) this.#minutes.delete(old);
    }
    return known;
  }
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS) * MINUTE_MS;
}

function blank(at: number): MinutePoint {
  return { at, calls: 0, errors: 0, tokens: 0 };
}

/** The smallest value that at least this share of all is not above. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
