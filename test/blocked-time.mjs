/**
 * Loaded into the program with `--import`: the most processor time that it took in one go, without a turn for timers. That
 * is how late a deadline may be noticed. Unlike elapsed time it does not depend on what else the machine does. It is
 * written into the file that `BLOCKED_TIME_FILE` names, when it grows and at the end.
 */
import { writeFileSync } from "node:fs";

const file = process.env.BLOCKED_TIME_FILE;
/** Less is not worth a write. */
const MIN_MS = 100;
let longestMs = 0;
let before = process.cpuUsage();

function note() {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1_000);
  return longestMs;
}

setInterval(() => {
  const known = longestMs;
  if (note() > Math.max(known, MIN_MS)) write();
}, 10).unref();
process.on("exit", () => {
  note();
  write();
});

function write() {
  if (file !== undefined) writeFileSync(file, String(longestMs));
}
