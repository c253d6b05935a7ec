/** How long a start waits after deaths, and when there were too many: told by the clock alone. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deaths } from "../../src/lsp/process/deaths.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the pause doubles from the first to the second bound, and passes", () => {
  const deaths = new Deaths({ max: 10, windowMs: 60_000, backoffMs: [250, 1_500] });
  expect(deaths.pauseMs).toBe(0);
  const pauses = Array.from({ length: 5 }, () => {
    deaths.add();
    return Math.round(deaths.pauseMs);
  });
  expect(pauses).toEqual([250, 500, 1_000, 1_500, 1_500]);
  vi.advanceTimersByTime(1_000);
  expect(Math.round(deaths.pauseMs)).toBe(500);
  vi.advanceTimersByTime(1_000);
  expect(deaths.pauseMs).toBe(0);
});

test("more than are allowed within the window are too many, until it has passed or they are forgotten", () => {
  const deaths = new Deaths({ max: 2, windowMs: 10_000, backoffMs: [1, 1] });
  deaths.add();
  vi.advanceTimersByTime(4_000);
  deaths.add();
  deaths.add();
  expect(deaths.tooMany).toBe(true);
  expect(Math.round(deaths.brokenMs)).toBe(6_000);
  vi.advanceTimersByTime(6_001);
  expect([deaths.tooMany, deaths.count]).toEqual([false, 2]);
  deaths.add();
  expect(deaths.tooMany).toBe(true);
  deaths.clear();
  expect([deaths.tooMany, deaths.count, deaths.pauseMs]).toEqual([false, 0, 0]);
});
