/** Numbers out of samples, and how they are shown. Everything is compared within one run, sample by sample. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** The value below which a part of the samples lies. */
export function quantile(samples, part) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** Count, median and 95th percentile of samples. */
export function figures(samples) {
  return { n: samples.length, p50: quantile(samples, 0.5), p95: quantile(samples, 0.95) };
}

/** Fewer samples have no bounds that hold 19 times of 20. */
const fewest = 6;

/**
 * The median, and between which two values that of more such samples would lie, 19 times of 20, were each by itself. Another run on
 * the same machine may differ by more: a minute is slow or quick for all of its calls.
 */
export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const [middle, off] = [sorted.length / 2, 0.98 * Math.sqrt(sorted.length)];
  const at = (index) => sorted[Math.max(0, Math.min(sorted.length - 1, Math.floor(index)))];
  const p50 = at(middle);
  return sorted.length < fewest ? { p50 } : { p50, from: at(middle - off), to: at(middle + off) };
}

/** A median and its bounds in words. */
export function inWords({ p50, from, to }, digits = (value) => value.toFixed(2)) {
  return from === undefined ? digits(p50) : `${digits(p50)} (${digits(from)} to ${digits(to)})`;
}

/**
 * Measures several ways of doing the same, turn by turn, so that whatever else the machine does falls on all of them; each round
 * begins with another of them. `ways` is name → (round) → milliseconds. The first rounds are thrown away; they are counted from `from`.
 */
export async function interleave(ways, { rounds, warmup, from = 0 }) {
  const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  const all = Object.entries(ways);
  for (let round = -warmup; round < rounds; round++) {
    const first = (round + warmup) % all.length;
    for (const [name, measure] of [...all.slice(first), ...all.slice(0, first)]) {
      const value = await measure(from + round + warmup);
      if (round >= 0) samples[name].push(value);
    }
  }
  return samples;
}

/** Milliseconds that an action takes. */
export async function timed(action) {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

/** One row of the table: ours against a base, both of the same rounds. */
export function compared(what, ours, base, target, runs = 1) {
  const [a, b] = [figures(ours), figures(base)];
  const pairs = ours.map((value, index) => [value, base[index]]);
  const row = { what, n: a.n, base: b, ours: a, added: median(pairs.map(added)), ratio: a.p50 / b.p50 };
  return { ...row, ...judged({ ...row, pairs, runs }, target) };
}

const added = ([ours, base]) => ours - base;
const ratio = ([ours, base]) => ours / base;

/** Fewer calls of a run say nothing. */
const enough = 20;

/**
 * What short calls add, and the ratio of long ones, call by call; each where there are enough. How long a call is both sides tell
 * together: by one of them alone, those that were held up on that side would all be among the long ones, and on the other side not.
 */
export function byLength({ pairs, runs }, borderMs) {
  const isLong = ([ours, base]) => (ours + base) / 2 >= borderMs;
  const [short, long] = [pairs.filter((pair) => !isLong(pair)), pairs.filter(isLong)];
  const most = Math.min(enough * runs, pairs.length / 2);
  return {
    added: short.length < most ? undefined : median(short.map(added)),
    ratio: long.length < most ? undefined : median(long.map(ratio)),
  };
}

/** One row of a figure that stands alone. */
export function alone(what, value, unit, target) {
  const row = { what, value, unit };
  return { ...row, ...judged(row, target) };
}

function judged(row, target) {
  if (target === undefined) return {};
  const seen = target.seen?.(row);
  return { target: seen === undefined ? target.text : `${target.text} ${seen}`, met: target.met(row) };
}

/** What the machine had to do besides: the load average, and how many processors share it. */
export function load() {
  return { average: Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]), processors: cpus().length };
}

const ms = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));

function cells(row) {
  const verdict = row.met === undefined ? "" : row.met ? " met" : " MISSED";
  const judgement = row.target === undefined ? "" : `${row.target}${verdict}`;
  if (row.value !== undefined) {
    const value = Number.isInteger(row.value) ? String(row.value) : row.value.toFixed(2);
    return [row.what, "", "", `${value} ${row.unit}`, "", "", judgement];
  }
  return [
    row.what,
    String(row.n),
    `${ms(row.base.p50)} / ${ms(row.base.p95)}`,
    `${ms(row.ours.p50)} / ${ms(row.ours.p95)}`,
    inWords(row.added, ms),
    `${row.ratio.toFixed(2)} ×`,
    judgement,
  ];
}

/** A section's rows as a table in Markdown. */
export function table(rows) {
  const head = ["what", "n", "base p50 / p95", "ours p50 / p95", "added", "ratio", "target"];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const print = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [print(lines[0]), rule, ...lines.slice(1).map(print)].join("\n");
}
