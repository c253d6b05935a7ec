import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTable } from "../../src/base/json.js";
import { planText } from "../plan/config.js";
import { bundleOf } from "./support.js";

const golden = (name: string) =>
  readFileSync(new URL(`../golden/${name}/config.toml`, import.meta.url), "utf8");
const bytesOf = (...args: Parameters<typeof planText>) => JSON.stringify(bundleOf(planText(...args)));

/** Arrays whose order has a meaning; every other array of these configs is a set. */
const sequences = new Set(["args", "enum", "steps", "arguments", "root_markers", "command", "roots"]);

/** The same config written down in another order: keys, tables, sets. */
function shuffled(value: unknown, random: fc.Random, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(item, random));
    return sequences.has(key) ? items : permuted(items, random);
  }
  if (!isTable(value)) return value;
  const entries = Object.entries(value).map(
    ([name, member]) => [name, shuffled(member, random, name)] as const,
  );
  return Object.fromEntries(permuted(entries, random));
}

function permuted<T>(items: readonly T[], random: fc.Random): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.nextInt(0, left.length - 1), 1));
}

describe.each(["default", "custom"])("the bundle of %s", (name) => {
  const config = parse(golden(name));
  const expected = bytesOf(golden(name));

  it("is the same for 8 shuffles of its config", () => {
    const texts = new Set<string>();
    fc.assert(
      fc.property(fc.noShrink(fc.infiniteStream(fc.nat())), (stream) => {
        const text = stringify(shuffled(config, streamRandom(stream)) as Record<string, unknown>);
        texts.add(text);
        expect(bytesOf(text)).toBe(expected);
      }),
      { seed: 7, numRuns: 8 },
    );
    expect(texts.size).toBeGreaterThan(6);
  }, 120_000);

  it("is the same from TOML and from JSON, and says nothing of the folder it came from", () => {
    const json = JSON.stringify(config, null, 2);
    expect(bytesOf(json, "json")).toBe(expected);
    expect(bytesOf(golden(name), "toml", "/elsewhere/deep")).toBe(expected);
  });

  it("is the same with comments, and with duplicates in sets", () => {
    const text = golden(name)
      .replaceAll("\n", "\n# a remark\n")
      .replaceAll(/extensions = \[("[a-z]+")/g, "extensions = [$1, $1");
    expect(text).not.toBe(golden(name));
    expect(bytesOf(text)).toBe(expected);
  });
});

/** A source of chance that fast-check controls. */
function streamRandom(stream: fc.Stream<number>): fc.Random {
  const nextInt = (min: number, max: number) => min + ((stream.next().value as number) % (max - min + 1));
  return { nextInt } as unknown as fc.Random;
}

describe("the process around it", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lsp-proxy-determinism-"));
    writeFileSync(
      join(folder, "entry.ts"),
      `import { planText } from ${JSON.stringify(fileURLToPath(new URL("../plan/config.ts", import.meta.url)))};
import { bundleOf } from ${JSON.stringify(fileURLToPath(new URL("./support.ts", import.meta.url)))};
import { readFileSync } from "node:fs";
console.log(bundleOf(planText(readFileSync(process.argv[2], "utf8"))).manifest.bundle, new Date(0).toString(), ["ä", "z", "Z"].sort(Intl.Collator().compare).join(""));`,
    );
    const root = fileURLToPath(new URL("../../", import.meta.url));
    await build({
      entryPoints: [join(folder, "entry.ts")],
      outfile: join(root, "test", "emit", ".determinism.mjs"),
      absWorkingDir: root,
      packages: "external",
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(fileURLToPath(new URL("./.determinism.mjs", import.meta.url)), { force: true });
  });

  const digestIn = (cwd: string, env: { [name: string]: string }) =>
    execFileSync(
      process.execPath,
      [
        fileURLToPath(new URL("./.determinism.mjs", import.meta.url)),
        fileURLToPath(new URL("../golden/default/config.toml", import.meta.url)),
      ],
      { cwd, env: { PATH: process.env.PATH ?? "", ...env }, encoding: "utf8" },
    ).split(" ");

  it("does not show: locale, time zone and working directory", () => {
    const [digest, ...surroundings] = digestIn("/", { LC_ALL: "C", TZ: "UTC" });
    const [other, ...others] = digestIn(folder, {
      LC_ALL: "sv_SE.UTF-8",
      LANG: "sv_SE.UTF-8",
      TZ: "Pacific/Auckland",
    });
    expect(others).not.toEqual(surroundings);
    expect(other).toBe(digest);
    expect(digest).toBe(bundleOf(planText(golden("default"))).manifest.bundle);
  });
});
