/**
 * Loaded into the program with `--import`: the most processor time that it took in one go, without a turn for timers, and
 * all that it took. The first is how late a deadline may be noticed. Unlike elapsed time neither depends on what else the
 * machine does. They are written into the file that the query of this module's URL names, often and at the end.
 */
import { renameSync, writeFileSync } from "node:fs";
import { processorMs } from "./processor-time.mjs";

const file = new URL(import.meta.url).searchParams.get("file");
/** A difference that is worth a write. */
const STEP_MS = 100;
let longestMs = 0;
let writtenMs = 0;
let before = processorMs();

setInterval(() => {
  note();
  if (longestMs > writtenMs + STEP_MS) write();
}, 10).unref();
// A collection that a test asks for is none of the program's work.
process.on("collected", () => {
  before = processorMs();
});
process.on("exit", () => {
  note();
  write();
});

function note() {
  const now = processorMs();
  longestMs = Math.max(longestMs, now - before);
  before = now;
}

function write() {
  writtenMs = longestMs;
  writeFileSync(`${file}.new`, JSON.stringify({ longestMs, totalMs: before }));
  renameSync(`${file}.new`, file);
}
