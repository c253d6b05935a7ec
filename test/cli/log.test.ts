/** Lines of the log: what happened, in bounded room, as text or as JSON. */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Input } from "../../src/cli/command.js";
import { openLog } from "../../src/cli/log/log.js";

function logged(
  flags: { [name: string]: string | boolean },
  data: { [key: string]: string | number },
): string {
  const stderr = new PassThrough();
  const log = openLog(new Input(flags), { env: {}, stderr } as never);
  log("error", "it happened", data);
  return String(stderr.read());
}

describe("a line of the log", () => {
  it("is whole where there is room", () => {
    expect(logged({}, { a: "b", n: 1 })).toMatch(/ error it happened a="b" n=1\n$/);
  });

  it.each([
    ["a long text", { cause: "x".repeat(100_000) }],
    ["many", Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, "yy"]))],
    ["what JSON makes long", { cause: "\u0001".repeat(10_000), other: "👋".repeat(5_000) }],
  ])("is cut at 2048 bytes: %s", (_name, data) => {
    expect(Buffer.byteLength(logged({}, data))).toBeLessThanOrEqual(2_048);
    const json = logged({ "log-json": true }, data);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(2_048);
    expect(JSON.parse(json)).toMatchObject({ level: "error", message: "it happened" });
  });

  it.each(["👋", "a👋"])("has whole characters where it is cut: %s", (start) => {
    const json = logged({ "log-json": true }, { cause: `${start}${"👋".repeat(5_000)}` });
    expect((JSON.parse(json) as { cause: string }).cause).toMatch(/^a?(?:👋)+…$/u);
  });
});
