/** The processor time of this process so far, which does not depend on what else the machine does. */
import { readFileSync } from "node:fs";

/** Milliseconds of the thread that runs JavaScript, where the system tells: others collect garbage and read files beside it. */
export function processorMs() {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1_000_000;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

/** What the reference work takes on the machine that the bounds of the tests were chosen on, in milliseconds. */
const REFERENCE_MS = 30;

/**
 * A bound on processor time for this machine: higher where the machine is slower now than the one that the bound was
 * chosen on. It is measured only when the bound is exceeded.
 */
export function limitFor(usedMs, limitMs) {
  return usedMs < limitMs ? limitMs : limitMs * Math.max(1, referenceMs() / REFERENCE_MS);
}

/** The median of several runs of work that every program does: texts, objects and garbage. */
function referenceMs() {
  const entries = Array.from({ length: 10_000 }, (_, n) => ({
    name: `name${n}`,
    line: n,
    tags: [n, `${n}`],
  }));
  const runs = Array.from({ length: 7 }, () => {
    const before = processorMs();
    for (let n = 0; n < 5; n++) JSON.parse(JSON.stringify(entries));
    return processorMs() - before;
  });
  return runs.sort((a, b) => a - b)[3];
}
