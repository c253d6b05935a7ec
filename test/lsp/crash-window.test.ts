/** How long a start waits after crashes, and when there were too many. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CrashWindow } from "../../src/lsp/instance-lifetime.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the backoff doubles from the first to the second bound, and passes", () => {
  const crashes = new CrashWindow({ max: 10, windowMs: 60_000, backoffMs: [250, 1_500] });
  expect(crashes.backoffMs).toBe(0);
  const pauses = Array.from({ length: 5 }, () => {
    crashes.add();
    return Math.round(crashes.backoffMs);
  });
  expect(pauses).toEqual([250, 500, 1_000, 1_500, 1_500]);
  vi.advanceTimersByTime(1_000);
  expect(Math.round(crashes.backoffMs)).toBe(500);
  vi.advanceTimersByTime(1_000);
  expect(crashes.backoffMs).toBe(0);
});

test("more crashes than allowed exceed the window, until it has passed or they are cleared", () => {
  const crashes = new CrashWindow({ max: 2, windowMs: 10_000, backoffMs: [1, 1] });
  crashes.add();
  vi.advanceTimersByTime(4_000);
  crashes.add();
  crashes.add();
  expect(crashes.isExceeded).toBe(true);
  expect(Math.round(crashes.exceededMs)).toBe(6_000);
  vi.advanceTimersByTime(6_001);
  expect([crashes.isExceeded, crashes.count]).toEqual([false, 2]);
  crashes.add();
  expect(crashes.isExceeded).toBe(true);
  crashes.clear();
  expect([crashes.isExceeded, crashes.count, crashes.backoffMs]).toEqual([false, 0, 0]);
});
