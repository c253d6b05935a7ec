/** Numbers and times as a person reads them. */

const number = new Intl.NumberFormat("en-US");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function count(value: number): string {
  return value < 100_000 ? number.format(value) : `${scaled(value, 1000, ["", "k", "M", "G"])}`;
}

export function bytes(value: number): string {
  return scaled(value, 1024, [" B", " KB", " MB", " GB"]);
}

export function megabytes(value: number): string {
  return bytes(value * 1024 * 1024);
}

function scaled(value: number, base: number, units: string[]): string {
  let rest = value;
  let unit = 0;
  while (rest >= base && unit < units.length - 1) {
    rest /= base;
    unit++;
  }
  return `${rest >= 10 || unit === 0 ? Math.round(rest) : rest.toFixed(1)}${units[unit] ?? ""}`;
}

/** A duration in milliseconds: `0.4 ms`, `12 ms`, `1.3 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1) return ms <= 0 ? "0 ms" : `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return age(ms);
}

/** A long time in whole units: `12 s`, `2 min 5 s`, `3 h 10 min`, `2 d 4 h`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return pair(hours, "h", minutes % 60, "min");
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** The time of day, with the date unless it is today. */
export function time(ms: number): string {
  const date = new Date(ms);
  const today = new Date().toDateString() === date.toDateString();
  return today ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
