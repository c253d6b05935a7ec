/** What the system tells of a process and its threads; Linux only, as the benchmark is. */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of processor time that a process has used so far. */
export function cpuMs(pid) {
  let spent = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    spent += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return spent / 1e6;
}

/** Megabytes of memory that a process holds. */
export function residentMb(pid) {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return (Number(pages) * 4096) / 2 ** 20;
}
