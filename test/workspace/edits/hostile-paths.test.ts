import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Refusal } from "../../../src/base/problem.js";
import type { Edits } from "../../../src/workspace/edits/edits.js";
import type { Change } from "../../../src/workspace/edits/types.js";
import { openGate } from "../../../src/workspace/gate.js";
import { narrowGate } from "../../../src/workspace/session-gate.js";
import {
  applyNow,
  type Bench,
  create,
  edit,
  makeBench,
  memory,
  refusalOf,
  remove,
  rename,
  snapshotOf,
} from "./bench.js";

let bench: Bench;
let edits: Edits;

beforeEach(async () => {
  bench = makeBench(memory);
  fillHostile(bench);
  edits = await bench.open();
});

afterEach(() => bench.remove());

/** A workspace with links to files and folders outside, to themselves, and to denied and extra files. */
function fillHostile(here: Bench): void {
  for (const name of ["a.ts", "src/b.ts", "src/deep/c.ts", ".git/config", "secret/key", "src/Ä 1.ts"])
    here.write(name, `${name} one\n`);
  mkdirSync(join(here.top, "outside/inner"));
  for (const file of ["outside/x.ts", "outside/inner/y.ts", "extra/lib.ts"])
    writeFileSync(join(here.top, file), "one\n");
  for (const [name, target] of [
    ["out", join(here.top, "outside")],
    ["out.ts", join(here.top, "outside/x.ts")],
    ["src/up", "../.."],
    ["src/loop", "loop"],
    ["src/self", "."],
    ["dangling", join(here.top, "outside/not-yet")],
    ["git", ".git"],
    ["lib", join(here.top, "extra")],
    ["alias.ts", "a.ts"],
  ] as const)
    symlinkSync(target, join(here.root, name));
}

/** Everything that no edit may touch. */
function untouchable(here: Bench): unknown {
  return [
    snapshotOf(join(here.top, "outside")),
    snapshotOf(join(here.top, "extra")),
    snapshotOf(join(here.root, ".git")),
    snapshotOf(join(here.root, "secret")),
    readdirSync(here.top).toSorted(),
  ];
}

const part = fc.constantFrom(
  ...[
    "a.ts",
    "src",
    "b.ts",
    "deep",
    "c.ts",
    "..",
    ".",
    "out",
    "out.ts",
    "up",
    "loop",
    "self",
    "dangling",
    "git",
  ],
  ...[
    "GIT",
    ".git",
    ".GIT",
    "config",
    "secret",
    "SECRET",
    "key",
    "lib",
    "lib.ts",
    "alias.ts",
    "x.ts",
    "inner",
    "new",
  ],
  ...[
    "",
    " ",
    "é",
    "con",
    "a\nb",
    "\u202e",
    "~",
    "$HOME",
    "%2e%2e",
    "..%2f",
    "x".repeat(300),
    "\0",
    "a\\..\\b",
    "src:x",
  ],
);
/** Names that exist often enough for generated lists to be applicable. */
const mildName = fc
  .constantFrom(
    "a.ts",
    "src/b.ts",
    "src/deep/c.ts",
    "src",
    "src/deep",
    "src/Ä 1.ts",
    "alias.ts",
    "new",
    "new/n.ts",
    "m.ts",
  )
  .map((path) => ({ path, form: "plain" }));
const wildName = fc
  .tuple(
    fc.array(part, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("plain", "plain", "plain", "absolute", "uri", "outside", "host", "double"),
  )
  .map(([parts, form]) => ({ path: parts.join("/"), form }));

const hostileName = fc.oneof({ weight: 3, arbitrary: mildName }, { weight: 1, arbitrary: wildName });

function nameOf({ path, form }: { path: string; form: string }): string {
  if (form === "absolute") return join(bench.root, path);
  if (form === "uri") return pathToFileURL(join(bench.root, path.replaceAll("\0", ""))).href;
  if (form === "outside") return join(bench.top, "outside", path);
  if (form === "host") return `file://evil/${path}`;
  return form === "double" ? `//${bench.root}//${path}` : path;
}

const option = fc.boolean();
const hostileChange = fc.oneof(
  fc.record({
    kind: fc.constant("edit" as const),
    path: hostileName,
    start: fc.integer({ min: -1, max: 40 }),
    length: fc.nat(9),
    text: fc.string(),
  }),
  fc.record({
    kind: fc.constant("create" as const),
    path: hostileName,
    text: fc.string(),
    overwrite: option,
    ignoreIfExists: option,
  }),
  fc.record({
    kind: fc.constant("rename" as const),
    from: hostileName,
    to: hostileName,
    overwrite: option,
    ignoreIfExists: option,
  }),
  fc.record({
    kind: fc.constant("delete" as const),
    path: hostileName,
    recursive: option,
    ignoreIfNotExists: option,
  }),
);
type Hostile = typeof hostileChange extends fc.Arbitrary<infer T> ? T : never;

/** Fills in the right hash where the file exists, so that it is not the reason for a refusal. */
async function realChange(change: Hostile): Promise<Change> {
  if (change.kind === "rename") return { ...change, from: nameOf(change.from), to: nameOf(change.to) };
  const path = nameOf(change.path);
  if (change.kind !== "edit") return { ...change, path };
  const probe = await edits.preview([create(path, "", { overwrite: true })]);
  const hash = probe.files[0]?.beforeSha256 ?? "0".repeat(64);
  const { start, length, text } = change;
  return edit(path, hash, [{ start, end: start + length, newText: text }]);
}

describe("a hostile list of changes", () => {
  test("never touches anything outside the roots, and what is done can be undone", {
    timeout: 300_000,
  }, async () => {
    let done = 0;
    const touchesNothing = fc.asyncProperty(
      fc.array(hostileChange, { minLength: 1, maxLength: 4 }),
      async (hostile) => {
        bench.remove();
        mkdirSync(bench.root, { recursive: true });
        for (const folder of ["outside", "extra"]) mkdirSync(join(bench.top, folder));
        fillHostile(bench);
        await applyNow(edits, [create("warm.txt")]);
        const before = bench.snapshot();
        const kept = untouchable(bench);
        const changes: Change[] = [];
        for (const change of hostile) changes.push(await realChange(change));
        const preview = await edits.preview(changes);
        const { reasons } = preview;
        expect(bench.snapshot()).toEqual(before);
        try {
          const { undoToken } = await edits.apply(preview);
          expect(reasons).toEqual([]);
          expect(untouchable(bench)).toEqual(kept);
          done++;
          await edits.undo(undoToken);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expect(error.message).not.toContain(join(bench.top, "outside"));
        }
        expect(bench.snapshot()).toEqual(before);
        expect(untouchable(bench)).toEqual(kept);
      },
    );
    // About one in six succeeds; chance may want a second turn.
    for (let turn = 0; turn < 5 && done <= 20; turn++) await fc.assert(touchesNothing, { numRuns: 200 });
    // Enough edits must succeed for the test to be meaningful.
    expect(done).toBeGreaterThan(20);
  });

  test.each([
    ["the link's target", "out.ts"],
    ["a file behind a linked folder", "out/x.ts"],
    ["a parent", "../outside/x.ts"],
    ["a parent by a link", "src/up/outside/x.ts"],
    ["a dangling link", "dangling"],
    ["a denied file", ".git/config"],
    ["a denied file by a link", "git/config"],
    ["a denied file in capitals", ".GIT/config"],
    ["a file that is only read, by a link", "lib/lib.ts"],
    ["a link to itself", "src/loop"],
  ])("is refused for %s", async (_, path) => {
    const kept = untouchable(bench);
    const changes = [create(path, "mine", { overwrite: true }), create(`${path}/new.ts`, "mine")];
    for (const change of changes)
      expect((await refusalOf(applyNow(edits, [change]))).code).toMatch(/^(guard|edit)\//);
    expect(untouchable(bench)).toEqual(kept);
  });

  test("cannot reach through a link in a folder that it moves", async () => {
    bench.write("pack/inside.ts", "one\n");
    symlinkSync(join(bench.top, "outside"), join(bench.root, "pack/way"));
    const kept = untouchable(bench);
    const { sha256 } = await import("../../../src/base/hash.js");
    for (const change of [
      edit("moved/way/x.ts", sha256("one\n"), [{ start: 0, end: 3, newText: "uno" }]),
      create("moved/way/new.ts", "mine"),
      remove("moved/way/x.ts"),
      rename("moved/way/x.ts", "stolen.ts"),
      rename("pack2.ts", "moved/way/pack.ts"),
    ]) {
      bench.write("pack2.ts", "two\n");
      const refusal = await refusalOf(applyNow(edits, [rename("pack", "moved"), change]));
      expect(refusal.code).toMatch(/^(guard|edit)\//);
    }
    expect(untouchable(bench)).toEqual(kept);
  });

  test("cannot move a denied file to where it is not denied", async () => {
    bench.write("pack/.git/config", "secret\n");
    for (const change of [
      rename("pack", "open"),
      rename("pack/.git", "open"),
      rename(".git/config", "open.txt"),
    ])
      expect((await refusalOf(applyNow(edits, [change]))).code).toBe("guard/denied");
  });

  test.each(["pipe", "socket"])("leaves a folder with a %s in it where it is", async (kind) => {
    bench.write("pack/deep/a.ts", "one\n");
    bench.write("empty/a.ts", "one\n");
    const special = join(bench.root, "pack/deep/special");
    const server = createServer();
    if (kind === "pipe") execFileSync("mkfifo", [special]);
    else await once(server.listen(special), "listening");
    try {
      for (const change of [
        rename("pack", "moved"),
        rename("pack/deep", "moved"),
        rename("pack/deep/special", "moved"),
        rename("empty", "pack", { overwrite: true }),
        remove("pack", { recursive: true }),
        remove("pack/deep/special"),
      ]) {
        const refusal = await refusalOf(applyNow(edits, [change]));
        expect(refusal.code, JSON.stringify(change)).toBe("guard/not-a-file");
      }
      expect(readdirSync(join(bench.root, "pack/deep"))).toEqual(["a.ts", "special"]);
      expect(readdirSync(bench.root)).toEqual(expect.arrayContaining(["empty", "pack"]));
      expect(readdirSync(bench.root)).not.toContain("moved");
    } finally {
      if (kind === "socket") await promisify(server.close.bind(server))();
    }
  });

  test("is bounded in files and bytes", async () => {
    const small = await bench.open({ editFiles: 10, editBytes: 10_000, fileBytes: 1_000 });
    for (let i = 0; i < 20; i++) bench.write(`many/${i}.ts`, "x\n");
    bench.write("large.ts", "x".repeat(2_000));
    for (const changes of [
      [remove("many", { recursive: true })],
      [rename("many", "more")],
      Array.from({ length: 20 }, (_, i) => create(`new/${i}.ts`)),
      [create("big.ts", "x".repeat(20_000))],
      [bench.change("large.ts", "x", "y")],
    ]) {
      const before = bench.snapshot();
      const refusal = await refusalOf(applyNow(small, changes));
      expect(JSON.stringify(refusal.data)).toContain("edit/too-large");
      expect(bench.snapshot()).toEqual(before);
    }
  });
});

describe("a session limited to some roots", () => {
  test("edits and undoes only what it sees", async () => {
    const gate = await openGate({ roots: [bench.root], extraRoots: [], deny: [] });
    const narrow = narrowGate(gate, [pathToFileURL(join(bench.root, "src")).href]);
    const preview = await edits.preview([create("n.ts", "n")], narrow);
    expect(preview.files.map((file) => file.shown)).toEqual(["n.ts"]);
    const { undoToken } = await edits.apply(preview, { gate: narrow });
    expect(bench.text("src/n.ts")).toBe("n");
    const outside = await edits.preview([bench.change("a.ts", "one", "uno")], narrow);
    expect(outside.reasons.map(({ code }) => code)).toEqual(["edit/missing"]);
    const whole = await edits.preview([bench.change("a.ts", "one", "uno")]);
    expect((await refusalOf(edits.apply(whole, { gate: narrow }))).code).toBe("edit/missing");
    const { undoToken: wholeUndo } = await edits.apply(whole);
    expect((await refusalOf(edits.undo(wholeUndo, { gate: narrow }))).code).toBe("edit/undo-conflict");
    await edits.undo(undoToken, { gate: narrow });
    expect(bench.text("a.ts")).toContain("uno");
  });
});
