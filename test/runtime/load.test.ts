import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANSWERS_FILE, type Bundle, MANIFEST_FILE, type Manifest } from "../../src/abi/bundle.js";
import { digest } from "../../src/base/hash.js";
import { canonicalPretty, canonicalText } from "../../src/base/json.js";
import { ConfigError } from "../../src/base/problem.js";
import { writeBundle } from "../../src/emit/write.js";
import { type BundleSource, loadBundle } from "../../src/runtime/bundle/load.js";
import { writeTestWorkspace } from "./test-workspace.js";

let outside: string;
let bundle: Bundle;
let folder: string;
let copies = 0;

beforeAll(() => {
  ({ outside, bundle } = writeTestWorkspace({ servers: { fake: { scenario: {} } } }));
  folder = join(outside, "bundle");
  writeBundle(bundle, folder);
});
afterAll(() => rmSync(outside, { recursive: true, force: true }));

/** A copy of the bundle on disk, to be spoilt. */
function copy(): string {
  const path = join(outside, `copy-${copies++}`);
  cpSync(folder, path, { recursive: true });
  return path;
}

async function codesOf(source: BundleSource, expected?: string): Promise<string[]> {
  try {
    await loadBundle(source, expected === undefined ? {} : { expect: expected });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => problem.code);
    throw error;
  }
  return [];
}

function spoilManifest(path: string, change: (manifest: Manifest) => void, sealAgain: boolean): void {
  const file = join(path, MANIFEST_FILE);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  change(manifest);
  const { bundle: _, ...members } = manifest;
  if (sealAgain) manifest.bundle = digest(canonicalText(members));
  writeFileSync(file, canonicalPretty(manifest));
}

describe("a bundle that is whole", () => {
  it("is the same from memory and from disk", async () => {
    const [memory, disk] = await Promise.all([loadBundle({ bundle }), loadBundle({ folder })]);
    expect(disk.manifest).toEqual(memory.manifest);
    expect(disk.plan).toEqual(memory.plan);
    expect(disk.tools).toEqual(memory.tools);
    expect(disk.tools.map((tool) => tool.name)).toHaveLength(12);
    const handlers = await Promise.all(
      [memory, disk].map(async (loaded) => (await loaded.tool("get_hover")).handler),
    );
    expect(handlers.map(({ name, effect }) => ({ name, effect }))).toEqual(
      Array(2).fill({ name: "get_hover", effect: "read" }),
    );
  });

  it("may be pinned", async () => {
    expect(await codesOf({ folder }, bundle.manifest.bundle)).toEqual([]);
    expect(await codesOf({ folder }, digest("another"))).toEqual(["bundle/pin"]);
    expect(await codesOf({ bundle }, digest("another"))).toEqual(["bundle/pin"]);
  });

  it("runs the bytes that were checked, whatever is on disk by then", async () => {
    const path = copy();
    const loaded = await loadBundle({ folder: path });
    writeFileSync(join(path, "handlers/get_hover.js"), "throw new Error('changed after the check');\n");
    expect((await loaded.tool("get_hover")).handler.name).toBe("get_hover");
    const { inputValidator: validate } = await loaded.tool("get_hover");
    expect(validate({ file_path: "a" })).toBe(true);
    expect(validate({ file_path: 7 })).toBe(false);
  });
});

describe("a bundle that is not whole is refused", () => {
  it.skipIf(process.platform === "win32")("with a pipe in the place of the manifest", async () => {
    const path = copy();
    rmSync(join(path, MANIFEST_FILE));
    execFileSync("mkfifo", [join(path, MANIFEST_FILE)]);
    expect(await codesOf({ folder: path })).toEqual(["bundle/missing"]);
  });

  it("with one flipped bit in any file", async () => {
    for (const { path: name } of bundle.files) {
      const path = copy();
      const bytes = readFileSync(join(path, name));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(path, name), bytes);
      expect(await codesOf({ folder: path })).toEqual(["bundle/corrupt"]);
      rmSync(path, { recursive: true });
    }
  });

  it("with one flipped character in memory", async () => {
    const files = bundle.files.map((file, index) =>
      index === 0 ? { ...file, text: `${file.text} ` } : file,
    );
    expect(await codesOf({ bundle: { ...bundle, files } })).toEqual(["bundle/corrupt"]);
  });

  it("with an extra file, folder or link", async () => {
    const path = copy();
    writeFileSync(join(path, "handlers/evil.js"), "");
    mkdirSync(join(path, "more"));
    symlinkSync("/etc/passwd", join(path, "link"));
    expect(await codesOf({ folder: path })).toEqual(Array(3).fill("bundle/foreign"));
    const files = [...bundle.files, { path: "evil.js", text: "" }];
    expect(await codesOf({ bundle: { ...bundle, files } })).toEqual(["bundle/foreign"]);
  });

  it("with a file that became a link to the same bytes", async () => {
    const path = copy();
    rmSync(join(path, "plan.json"));
    symlinkSync(join(folder, "plan.json"), join(path, "plan.json"));
    expect(await codesOf({ folder: path })).toEqual(["bundle/missing", "bundle/foreign"]);
  });

  it("with a missing file, manifest or folder", async () => {
    const path = copy();
    rmSync(join(path, "handlers/get_hover.js"));
    expect(await codesOf({ folder: path })).toEqual(["bundle/missing"]);
    rmSync(join(path, MANIFEST_FILE));
    expect(await codesOf({ folder: path })).toEqual(["bundle/missing"]);
    expect(await codesOf({ folder: join(outside, "nowhere") })).toEqual(["bundle/missing"]);
  });

  it("with another ABI", async () => {
    const path = copy();
    spoilManifest(path, (manifest) => (manifest.abi = 99), true);
    expect(await codesOf({ folder: path })).toEqual(["bundle/abi"]);
  });

  it("with a manifest that was changed", async () => {
    const path = copy();
    spoilManifest(path, (manifest) => (manifest.generator = "somebody else"), false);
    expect(await codesOf({ folder: path })).toEqual(["bundle/corrupt"]);
    spoilManifest(path, (manifest) => (manifest.plan = digest("x")), true);
    expect(await codesOf({ folder: path })).toEqual(["bundle/corrupt"]);
    writeFileSync(join(path, MANIFEST_FILE), "{");
    expect(await codesOf({ folder: path })).toEqual(["bundle/corrupt"]);
    writeFileSync(join(path, MANIFEST_FILE), "[]");
    expect(await codesOf({ folder: path })).toEqual(["bundle/corrupt"]);
  });

  it("with a manifest that names less than the tools need", async () => {
    const path = copy();
    rmSync(join(path, "validators/get_hover.input.js"));
    spoilManifest(path, (manifest) => delete manifest.files["validators/get_hover.input.js"], true);
    expect(await codesOf({ folder: path })).toEqual(["bundle/missing"]);
  });

  it("with tools whose answers nothing is named for", async () => {
    const path = copy();
    writeFileSync(join(path, ANSWERS_FILE), "{}");
    spoilManifest(path, (manifest) => (manifest.files[ANSWERS_FILE] = digest("{}")), true);
    expect(new Set(await codesOf({ folder: path }))).toEqual(new Set(["bundle/missing"]));
  });
});
