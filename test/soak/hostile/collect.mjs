/** Loaded into the proxy before its own code: on SIGUSR2 it collects garbage and writes its memory into a file. */
import { renameSync, writeFileSync } from "node:fs";

const file = process.env.SOAK_MEMORY_FILE;
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  process.emit("collected");
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.new`, file);
});
