import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Each file starts language servers, which are processes of their own and fill a small machine by themselves.
    maxWorkers: 1,
  },
});
