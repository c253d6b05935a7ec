/** Looks that prove glances: at once where nothing is under way, one for many where much is. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Glances } from "../../src/lsp/watch/glances.js";

/** The files as a look would find them, and as they are known. */
let disk = "1";
let known = "1";
const look = vi.fn(async () => {
  known = disk;
});
const context = { look, state: () => known };

beforeEach(() => {
  disk = "1";
  known = "1";
  look.mockClear();
  return () => void vi.useRealTimers();
});

describe("a glance", () => {
  test("is proven in the next turn while servers rest", async () => {
    const glance = new Glances(context).take(false);
    expect(look).not.toHaveBeenCalled();
    await nextTurn();
    expect(look).toHaveBeenCalledOnce();
    expect(await glance.holds()).toBe(true);
    expect(look).toHaveBeenCalledOnce();
  });

  test("tells at once after its look is over, of what that found and not of what came later", async () => {
    const glances = new Glances(context);
    const first = glances.take(false);
    await nextTurn();
    disk = "2";
    known = "2";
    expect(first.holds()).toBe(true);
    const second = glances.take(false);
    disk = "3";
    await nextTurn();
    expect(second.holds()).toBe(false);
  });

  test("waits for the first answer where servers are at work, and one look proves all before it", async () => {
    const glances = new Glances(context);
    const taken = Array.from({ length: 50 }, () => glances.take(true));
    await nextTurn();
    expect(look).not.toHaveBeenCalled();
    const proven = await Promise.all(taken.map(({ holds }) => holds()));
    expect(proven.every(Boolean)).toBe(true);
    expect(look).toHaveBeenCalledOnce();
  });

  test("is not proven by a look that began before it", async () => {
    const glances = new Glances(context);
    const first = glances.take(true);
    const isTrue = first.holds();
    const second = glances.take(true);
    disk = "2";
    expect(await isTrue).toBe(true);
    expect(await second.holds()).toBe(false);
    expect(look).toHaveBeenCalledTimes(2);
  });

  test("is ahead of its look until that begins, whoever begins it", async () => {
    const glances = new Glances(context);
    const first = glances.take(false);
    expect(first.isAhead()).toBe(true);
    await nextTurn();
    expect(first.isAhead()).toBe(false);
    const [second, third] = [glances.take(true), glances.take(true)];
    expect([second.isAhead(), third.isAhead()]).toEqual([true, true]);
    const isTrue = second.holds();
    expect([second.isAhead(), third.isAhead()]).toEqual([false, false]);
    expect(glances.take(true).isAhead()).toBe(true);
    expect(await isTrue).toBe(true);
    expect(third.isAhead()).toBe(false);
  });

  test("is told of as soon as its look finds that it does not hold, and only then", async () => {
    const glances = new Glances(context);
    const told: string[] = [];
    glances.take(false).onRefuted(() => told.push("first"));
    await nextTurn();
    await nextTurn();
    expect(told).toEqual([]);
    glances.take(false).onRefuted(() => told.push("second"));
    glances.take(false);
    disk = "2";
    await nextTurn();
    expect(told).toEqual(["second"]);
    look.mockRejectedValueOnce(new Error("closed"));
    glances.take(false).onRefuted(() => told.push("third"));
    await nextTurn();
    expect(told).toEqual(["second", "third"]);
  });

  test("is looked after although no answer asks", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    new Glances(context).take(true);
    vi.runAllTimers();
    expect(look).toHaveBeenCalledOnce();
  });

  test("does not hold where nothing could be found out", async () => {
    look.mockRejectedValueOnce(new Error("closed"));
    expect(await new Glances(context).take(true).holds()).toBe(false);
  });
});
