#!/usr/bin/env node
/** The executable: the process's own surroundings given to `main`. */
import { main } from "./main.js";

// Whoever reads the output may have had enough of it: what is still to be said is then said to nobody.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    const isOthers = stream.listenerCount("error") > 1;
    if (error.code !== "EPIPE" && !isOthers) throw error;
  });

void main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
}).then((code) => {
  process.exitCode = code;
  // An open terminal or pipe on stdin would keep the process alive after a signal has ended its work.
  process.stdin.destroy();
});
