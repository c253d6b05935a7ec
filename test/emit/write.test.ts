import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bundle } from "../../src/abi/bundle.js";
import { ConfigError } from "../../src/base/problem.js";
import { checkBundle } from "../../src/emit/check.js";
import { type WriteStep, writeBundle } from "../../src/emit/write.js";
import { bundleOnDisk } from "../../src/runtime/bundle/bundle-files.js";
import { planOf } from "../plan/config.js";
import { bundleOf } from "./support.js";

const hover = (description: string) =>
  bundleOf(
    planOf(
      `[[tools]]\nname = "t"\ndescription = "${description}"\ninput = "position"\noutput = "hover"\nrequest = { method = "textDocument/hover", params = "text_document_position" }`,
    ).plan,
  );
const before = hover("before");
const after = hover("after");

let folder = "";
let target = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lsp-proxy-write-"));
  target = join(folder, "bundle");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const codesOf = (bundle: Bundle) => checkBundle(bundle, target).map((problem) => problem.code);
const refusal = (run: () => void) => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => problem.code);
    throw error;
  }
  return [];
};

describe("writeBundle", () => {
  it("writes, replaces, and leaves nothing beside the bundle", () => {
    writeBundle(before, target);
    expect(codesOf(before)).toEqual([]);
    writeBundle(after, target);
    expect(codesOf(after)).toEqual([]);
    expect(readdirSync(folder)).toEqual(["bundle"]);
  });

  it("makes the folders above, and uses an empty one", () => {
    target = join(folder, "a", "b");
    mkdirSync(target, { recursive: true });
    writeBundle(before, target);
    expect(codesOf(before)).toEqual([]);
  });

  it("replaces neither a folder of someone else nor a bundle with a foreign file in it", () => {
    mkdirSync(target);
    writeFileSync(join(target, "notes.txt"), "mine");
    expect(refusal(() => writeBundle(before, target))).toEqual(["bundle/unwritable"]);
    rmSync(join(target, "notes.txt"));
    writeBundle(before, target);
    writeFileSync(join(target, "handlers", "notes.txt"), "mine");
    expect(refusal(() => writeBundle(after, target))).toEqual(["bundle/unwritable"]);
    expect(readFileSync(join(target, "handlers", "notes.txt"), "utf8")).toBe("mine");
  });

  it("takes a folder whose manifest is not ours for what it is", () => {
    mkdirSync(target);
    for (const manifest of ["{", "[]", '{"files":{}}']) {
      writeFileSync(join(target, "manifest.json"), manifest);
      expect(refusal(() => writeBundle(before, target))).toEqual(["bundle/unwritable"]);
    }
  });

  it("says so when the place is a file", () => {
    writeFileSync(target, "");
    expect(refusal(() => writeBundle(before, target))).toEqual(["bundle/unwritable"]);
    expect(refusal(() => writeBundle(before, join(target, "below")))).toEqual(["bundle/unwritable"]);
  });
});

describe("a writer that is killed", () => {
  const script = fileURLToPath(new URL("./.writer.mjs", import.meta.url));
  beforeAll(async () => {
    await build({
      stdin: {
        contents: `import { readFileSync } from "node:fs";
import { writeBundle } from "../../src/emit/write.js";
const [bundle, target, at, nth] = process.argv.slice(2);
let seen = 0;
writeBundle(JSON.parse(readFileSync(bundle, "utf8")), target, (step) => {
  if (step === at && ++seen === Number(nth)) process.kill(process.pid, "SIGKILL");
});`,
        resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      },
      outfile: script,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
    return () => rmSync(script, { force: true });
  });

  const moments: [WriteStep, number][] = [
    ["recovered", 1],
    ["checked", 1],
    ["staging", 1],
    ["staging", 5],
    ["staged", 1],
    ["moved", 1],
    ["swapped", 1],
    ["done", 1],
  ];

  it.each(moments)("at `%s` (%i) leaves the old or the new bundle whole", async (step, nth) => {
    writeBundle(before, target);
    const file = join(folder, "after.json");
    writeFileSync(file, JSON.stringify(after));
    const { signal } = spawnSync(process.execPath, [script, file, target, step, String(nth)]);
    expect(signal).toBe("SIGKILL");

    const place = existsSync(target) ? target : join(folder, ".bundle.old");
    const whole = [before, after].filter((bundle) => checkBundle(bundle, place).length === 0);
    expect(whole).toEqual([step === "swapped" || step === "done" ? after : before]);
    // The runtime finds the whole one under the name that was asked for, wherever it stands.
    const { manifest } = await bundleOnDisk(target);
    expect(manifest).toEqual(whole[0]?.manifest);

    writeBundle(after, target);
    expect(codesOf(after)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("between the two renames: the next write takes the old bundle back before it does anything else", () => {
    writeBundle(before, target);
    const file = join(folder, "after.json");
    writeFileSync(file, JSON.stringify(after));
    spawnSync(process.execPath, [script, file, target, "moved", "1"]);
    expect(existsSync(target)).toBe(false);
    expect(() =>
      writeBundle(after, target, (step) => {
        if (step === "recovered") throw new Error("stop here");
      }),
    ).toThrow("stop here");
    expect(codesOf(before)).toEqual([]);
  });
});

describe("checkBundle", () => {
  it("reports stale, missing and foreign files, and shows the first difference", () => {
    writeBundle(before, target);
    const handler = join(target, "handlers", "t.js");
    writeFileSync(handler, readFileSync(handler, "utf8").replace('"hover"', '"text"'));
    rmSync(join(target, "TOOLS.md"));
    writeFileSync(join(target, "handlers", "extra.js"), "");
    symlinkSync(handler, join(target, "link.js"));
    const problems = checkBundle(before, target);
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([
      ["bundle/missing", "/TOOLS.md"],
      ["bundle/stale", "/handlers~1t.js"],
      ["bundle/foreign", "/handlers~1extra.js"],
      ["bundle/foreign", "/link.js"],
    ]);
    const detail = problems[1]?.detail ?? [];
    expect(detail).toContain('-      return await call.answer("text", result);');
    expect(detail).toContain('+      return await call.answer("hover", result);');
    expect(detail.length).toBeLessThan(12);
  });

  it("compares bytes, not text", () => {
    writeBundle(before, target);
    const path = join(target, "TOOLS.md");
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from([0xff])]));
    expect(codesOf(before)).toEqual(["bundle/stale"]);
  });

  it("takes a link in place of a file for foreign", () => {
    writeBundle(before, target);
    const path = join(target, "TOOLS.md");
    writeFileSync(join(folder, "same.md"), readFileSync(path));
    rmSync(path);
    symlinkSync(join(folder, "same.md"), path);
    expect(codesOf(before)).toEqual(["bundle/foreign"]);
  });

  it("says that there is no bundle", () => {
    expect(codesOf(before)).toEqual(["bundle/missing"]);
    mkdirSync(target);
    expect(codesOf(before)).toEqual(["bundle/missing"]);
  });
});
