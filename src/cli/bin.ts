#!/usr/bin/env node
/** The executable: the process's own surroundings given to `main`. */
import { main } from "./main.js";

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
