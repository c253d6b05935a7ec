/** Work that several callers wait for: each is told once, and leaves alone. */
import { expect, it, vi } from "vitest";
import { Stop, type StopSignal } from "../../src/base/stop.js";
import { type Caller, InFlight, type Work } from "../../src/runtime/sharing/in-flight.js";

/** Work that ends when it is told to, and the signal that it runs under. */
function openWork() {
  let settle: { end: (value: number) => void; fail: (error: Error) => void } | undefined;
  let under: StopSignal | undefined;
  const work = vi.fn<Work<number>>((signal, tell) => {
    under = signal;
    tell("starting");
    return new Promise((end, fail) => {
      settle = { end, fail };
    });
  });
  return {
    work,
    end: (value: number) => settle?.end(value),
    fail: (error: Error) => settle?.fail(error),
    isStopped: () => under?.aborted,
  };
}

function caller(name: string): Caller<number, string> & { stop: Stop; heard: string[] } {
  const stop = new Stop();
  const heard: string[] = [];
  return {
    ...{ stop, heard, signal: stop },
    onProgress: (message) => heard.push(message),
    given: (result) => `${name}: ${result}`,
    left: () => `${name} left`,
  };
}

it("is begun once for all who come while it is under way, and anew afterwards", async () => {
  const inFlight = new InFlight<number>();
  const { work, end } = openWork();
  const [one, two] = [caller("one"), caller("two")];
  const told = Promise.all([inFlight.join("key", one, work), inFlight.join("key", two, work)]);
  expect(inFlight.has("key")).toBe(true);
  end(1);
  expect(await told).toEqual(["one: 1", "two: 1"]);
  expect(work).toHaveBeenCalledOnce();
  expect(inFlight.has("key")).toBe(false);
  const again = inFlight.join("key", one, work);
  end(2);
  expect(await again).toBe("one: 2");
  expect(work).toHaveBeenCalledTimes(2);
});

it("tells whoever begins it of its progress at once", async () => {
  const { work, end } = openWork();
  const one = caller("one");
  const told = new InFlight<number>().join("key", one, work);
  expect(one.heard).toEqual(["starting"]);
  end(1);
  await told;
});

it("goes on for the others when one leaves, and ends with the last", async () => {
  const inFlight = new InFlight<number>();
  const { work, isStopped } = openWork();
  const [one, two] = [caller("one"), caller("two")];
  const [first, second] = [inFlight.join("key", one, work), inFlight.join("key", two, work)];
  one.stop.abort();
  expect(await first).toBe("one left");
  expect(isStopped()).toBe(false);
  expect(inFlight.has("key")).toBe(true);
  two.stop.abort();
  expect(await second).toBe("two left");
  expect(isStopped()).toBe(true);
  expect(inFlight.has("key")).toBe(false);
});

it("is given to those who stay, though it was begun by one who left", async () => {
  const inFlight = new InFlight<number>();
  const { work, end, isStopped } = openWork();
  const [one, two] = [caller("one"), caller("two")];
  const [first, second] = [inFlight.join("key", one, work), inFlight.join("key", two, work)];
  one.stop.abort();
  end(3);
  expect(await Promise.all([first, second])).toEqual(["one left", "two: 3"]);
  expect(isStopped()).toBe(false);
});

it("is not stopped once it is done, whoever leaves then", async () => {
  const inFlight = new InFlight<number>();
  const { work, end, isStopped } = openWork();
  const one = caller("one");
  const told = inFlight.join("key", one, work);
  end(1);
  await told;
  one.stop.abort();
  expect(isStopped()).toBe(false);
});

it("fails for all who wait, and so does what is made of its result", async () => {
  const inFlight = new InFlight<number>();
  const { work, end, fail } = openWork();
  const [one, two] = [caller("one"), caller("two")];
  const told = Promise.allSettled([inFlight.join("key", one, work), inFlight.join("key", two, work)]);
  fail(new Error("broken"));
  expect((await told).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(inFlight.has("key")).toBe(false);
  const given = () => {
    throw new Error("of no use");
  };
  const third = inFlight.join("key", { ...one, given }, work);
  end(1);
  await expect(third).rejects.toThrow("of no use");
});

it("is not begun for one who has left already, and not ended where others wait", async () => {
  const inFlight = new InFlight<number>();
  const { work, end, isStopped } = openWork();
  const [one, two] = [caller("one"), caller("two")];
  one.stop.abort();
  expect(await inFlight.join("key", one, work)).toBe("one left");
  expect(work).not.toHaveBeenCalled();
  const told = inFlight.join("key", two, work);
  expect(await inFlight.join("key", one, work)).toBe("one left");
  expect(isStopped()).toBe(false);
  end(1);
  expect(await told).toBe("two: 1");
});
