/** Configs of a repository that are huge in one way or another: an answer within seconds, and never a crash. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { OneProcess } from "./one-process.js";

/** One process for all configs, so that one that hangs or crashes it is seen from here. */
const program = new OneProcess();
afterAll(() => program.end());
const run = (words: string[]) => program.run(words, folder);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lsp-proxy-huge-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const times = (count: number, text: (index: number) => string, between = ",") =>
  Array.from({ length: count }, (_, index) => text(index)).join(between);
const json = (count: number, text: (index: number) => string) => `{${times(count, text)}}`;
const inList = (key: string, count: number, text: (index: number) => string) =>
  `{"${key}":[${times(count, text)}]}`;

/** Far above the bound, and just below it. */
const configs: { [name: string]: string } = {
  "60,000 unknown keys on one line": json(60_000, (index) => `"k${index}":1`),
  "many unknown keys on one line": json(4_900, (index) => `"k${index}":1`),
  "many unknown keys of wide characters on one line": json(
    4_900,
    (index) => `"${"😀é".repeat(20)}${index}":1`,
  ),
  "many unknown keys in an inline table": `mcp = {${times(4_900, (index) => `"k${index}😀"=1`)}}`,
  "100,000 tables": times(100_000, () => "[[t]]", "\n"),
  "many tables": times(6_600, (index) => `[t${index}]`, "\n"),
  "thousands of servers": inList(
    "servers",
    1_300,
    (index) => `{"id":"s${index}","comand":"x","extension":["e"]}`,
  ),
  "thousands of empty servers": inList("servers", 6_600, () => "{}"),
  "15,000 servers": inList(
    "servers",
    15_000,
    (index) => `{"id":"s${index}","command":"x","extensions":["e"]}`,
  ),
  "many arguments": `{"allow":{"commands":["x"]},"servers":[{"id":"a","command":"x","extensions":["e"],"args":[${times(9_900, () => '"x"')}]}]}`,
  "200,000 arguments": inList(
    "servers",
    1,
    () => `{"id":"a","command":"x","args":[${times(200_000, () => '"x"')}]}`,
  ),
  "thousands of absent layers": `extends = [${times(9_900, (index) => `"./x${index}.toml"`)}]`,
  "thousands of unknown layers": `extends = [${times(9_900, (index) => `"stacks/x${index}"`)}]`,
  "nested JSON": `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`,
  "nested TOML": `a=${"[".repeat(500_000)}`,
  "a dotted key": `a${".a".repeat(9_900)}=1`,
  "a dotted header": `[a${".a".repeat(400_000)}]`,
  "one key again and again": times(6_600, () => "a=1", "\n"),
  "one key again and again in JSON": json(140_000, () => '"a":1\n'),
  "one key again and again in less JSON": json(4_900, () => '"a":1\n'),
  "many syntax errors": times(3_900, (index) => `[t${index}]\nx=`, "\n"),
  "many syntax errors in JSON": json(6_600, () => '"a" 1'),
  "many dates": `a=[${times(9_900, () => "1979-05-27")}]`,
  "an unclosed string": `a="""${'\\"'.repeat(500_000)}`,
  "a key of a megabyte": `"${"k".repeat(1_048_000)}"=1`,
  "a value of a megabyte": `mcp="${"k".repeat(1_048_000)}"`,
  "a comment of a megabyte": `#${"x".repeat(1_048_000)}\nx=1`,
};

describe("a config with", () => {
  for (const [name, text] of Object.entries(configs))
    it(`${name} is answered`, async () => {
      writeFileSync(join(folder, text.startsWith("{") ? "lspi.json" : "lspi.toml"), text);
      for (const words of [["validate", "--trust-workspace"], ["trust"]]) {
        const { code, stdout, stderr } = await run(words);
        expect([0, 1, 3], stderr).toContain(code);
        expect(stdout.length + stderr.length).toBeLessThan(2_000_000);
      }
    }, 30_000);

  it("a hundred large layers is answered", async () => {
    const text = times(4_000, (index) => `k${index}=1`, "\n");
    for (let index = 0; index < 99; index++) writeFileSync(join(folder, `${index}.toml`), text);
    writeFileSync(join(folder, "lspi.toml"), `extends = [${times(99, (index) => `"./${index}.toml"`)}]`);
    const { code, stdout } = await run(["validate", "--trust-workspace", "--json"]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ not_shown: expect.any(Number) });
  }, 30_000);

  it("gigabytes is refused", async () => {
    writeFileSync(join(folder, "lspi.toml"), "");
    truncateSync(join(folder, "lspi.toml"), 5 * 2 ** 30);
    const { code, stderr } = await run(["validate"]);
    expect(stderr).toContain("larger than 1048576 bytes");
    expect(code).toBe(3);
  });

  it("many problems shows the first hundred and says how many more there are", async () => {
    writeFileSync(
      join(folder, "lspi.json"),
      json(1_000, (index) => `"k${index}":1`),
    );
    const { stderr } = await run(["validate", "--trust-workspace"]);
    expect(stderr.match(/^error\[/gm)).toHaveLength(100);
    expect(stderr).toMatch(/\nand 900 more\n\n1000 problems\n$/);
    const { stdout } = await run(["validate", "--trust-workspace", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ errors: 1_000, not_shown: 900 });
    const doctor = await run(["doctor", "--trust-workspace"]);
    expect(doctor.stdout).toContain("and 900 more");
  }, 60_000);
});
