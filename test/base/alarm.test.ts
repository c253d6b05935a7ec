/** Alarms ring when their time is over, whatever else is waited for, and are cheap because one timer waits for all of them. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { clearAlarm, setAlarm } from "../../src/base/alarm.js";
import { printedIn } from "../own-process.js";

/** What a script with alarms prints until its process ends. */
async function printed(script: string): Promise<string> {
  return (await printedIn("base", `import { clearAlarm, setAlarm } from "./alarm.js"; ${script}`)).stdout;
}

describe("an alarm", () => {
  it("rings after its time, an earlier one before, and one that was called off never", async () => {
    const rung: string[] = [];
    const began = performance.now();
    const ended = new Promise<void>((resolve) => {
      setAlarm(() => {
        rung.push(performance.now() - began >= 79 ? "last" : "last, early");
        resolve();
      }, 80);
    });
    const never = setAlarm(() => rung.push("never"), 30);
    setAlarm(() => rung.push("first"), 20);
    setAlarm(() => rung.push("second"), 40);
    clearAlarm(never);
    await ended;
    expect(rung).toEqual(["first", "second", "last"]);
  });

  it("rings for one that was set while others ring", async () => {
    const rung: string[] = [];
    await new Promise<void>((resolve) => {
      setAlarm(() => {
        rung.push("outer");
        setAlarm(() => {
          rung.push("inner");
          resolve();
        }, 5);
      }, 5);
    });
    expect(rung).toEqual(["outer", "inner"]);
  });

  it("still rings after a later one was called off, and after all were", async () => {
    clearAlarm(setAlarm(() => undefined, 10));
    await pause(30);
    const ring = vi.fn();
    const later = setAlarm(ring, 60_000);
    const soon = new Promise<void>((resolve) => setAlarm(resolve, 10));
    clearAlarm(later);
    await soon;
    expect(ring).not.toHaveBeenCalled();
  });

  it("costs no timer while an earlier one is waited for", () => {
    const first = setAlarm(() => undefined, 50_000);
    const made = vi.spyOn(globalThis, "setTimeout");
    try {
      for (let n = 0; n < 100; n++) clearAlarm(setAlarm(() => undefined, 60_000 + n));
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
      clearAlarm(first);
    }
  });

  it("takes more milliseconds than a timer of Node can", async () => {
    const script = `process.on("warning", ({ name }) => console.log(name));
      setAlarm(() => console.log("rung"), 2 ** 40);
      setTimeout(() => process.exit(), 200);`;
    expect(await printed(script)).toBe("");
  });

  it("keeps a process running until it rings, and no longer when it was called off", async () => {
    expect(await printed(`setAlarm(() => console.log("rung"), 100);`)).toBe("rung\n");
    expect(await printed(`clearAlarm(setAlarm(() => console.log("rung"), 1e6));`)).toBe("");
    const again = `clearAlarm(setAlarm(() => {}, 50)); setAlarm(() => console.log("rung"), 200);`;
    expect(await printed(again)).toBe("rung\n");
  });
});
