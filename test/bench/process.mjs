/** What the system tells of a process and its threads; Linux only, as the benchmark is. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds of processor time that a process has used so far. */
export function cpuMs(pid) {
  let spent = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    spent += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return spent / 1e6;
}

/** The processes that a process has started, and those that these have, by their parents in the system's table. */
export function descendants(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1].split(" ");
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended since it was listed.
    }
  }
  const below = (parent) =>
    [...parents].flatMap(([child, its]) => (its === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** Milliseconds of processor time that all processes below a process have used so far. */
export function cpuBelowMs(pid) {
  return descendants(pid).reduce((sum, child) => sum + cpuMs(child), 0);
}

/** Megabytes of memory that a process holds. */
export function residentMb(pid) {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return (Number(pages) * 4096) / 2 ** 20;
}

/**
 * Waits until these processes, with all below them, have rested for a second: a server goes on checking the files that were
 * opened long after it has answered.
 */
export async function atRest(pids, patienceMs = 60_000) {
  const spent = () => pids.reduce((sum, pid) => sum + cpuMs(pid) + cpuBelowMs(pid), 0);
  const end = performance.now() + patienceMs;
  let before = spent();
  for (let rests = 0; rests < 4 && performance.now() < end; ) {
    await wait(250);
    const now = spent();
    rests = now - before < 10 ? rests + 1 : 0;
    before = now;
  }
}
