import { defineConfig } from "vitest/config";

/** Tests of the stages that are pure: they start no server and leave nothing behind in their process. */
const pure = ["base", "config", "emit", "invalid", "plan", "protocol"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    pool: "forks",
    // A test waits for an event and ends with it. These limits only end a test that hangs, also on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // A file mostly waits for the processes that it starts: two files at a time leave half of two cores idle.
    // Nothing is shared between files: folders, ports and users' records are each one's own.
    maxWorkers: 3,
    projects: [
      // They have the modules in common, which cost more to load than most of these tests to run.
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, "test/fixtures/**"],
        },
      },
    ],
  },
});
