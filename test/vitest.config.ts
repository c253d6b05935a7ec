import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A language server holds a core while it indexes: two files at once fill a small machine.
    maxWorkers: 2,
  },
});
