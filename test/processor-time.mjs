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
