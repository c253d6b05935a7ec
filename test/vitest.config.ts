import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A file mostly waits for the processes that it starts, so two at a time fill a small machine and more would only
    // make each other late. Nothing is shared between files: folders, ports and users' records are each one's own.
    maxWorkers: 2,
  },
});
