#!/usr/bin/env node
/** The executable: enables the compile cache, then runs `main` with the process's streams and environment. */
import { enableCompileCache } from "./compile-cache.js";

// The reader of our output may close it early. Further output is then dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    const isHandledElsewhere = stream.listenerCount("error") > 1;
    if (error.code !== "EPIPE" && !isHandledElsewhere) throw error;
  });

enableCompileCache();
// Imported only now, so that its code is cached too.
void import("./main.js")
  .then(({ main }) =>
    main(process.argv.slice(2), {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      cwd: process.cwd(),
    }),
  )
  .then((code) => {
    process.exitCode = code;
    // An open stdin would keep the process alive after the command has ended.
    process.stdin.destroy();
  });
