import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./slow-first.js";

/** Files that replace a module, measure their process, or leave it with much garbage: each has a process of its own. */
const alone = [
  "base/glob-cost",
  "fuzz/*",
  "lsp/message-size",
  "mcp/hostile/memory",
  "mcp/http/tokens",
  "runtime/list-values",
  "runtime/listing/hostile",
  "runtime/listing/large",
  "runtime/memory-watch",
].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    pool: "forks",
    setupFiles: ["test/setup.ts"],
    // A test waits for an event and ends with it. These limits only end a test that hangs, also on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // A file mostly waits for the processes that it starts: five files at a time leave a part of two cores idle.
    // Nothing is shared between files: folders, ports and users' records are each one's own.
    maxWorkers: 6,
    sequence: { sequencer: SlowFirst },
    projects: [
      // They have the modules in common, which cost more to load than most of these tests to run. Each leaves its
      // process as it was: no timer, no variable of the environment, no replaced function, no open runtime.
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...alone, "test/fixtures/**"],
          isolate: false,
          // The young generation of V8: these processes make much garbage, and the usual 16 MB is collected all the time.
          execArgv: ["--max-semi-space-size=64"],
        },
      },
      { extends: true, test: { name: "alone", include: alone } },
    ],
  },
});
