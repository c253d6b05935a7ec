/** Names of files, URIs of servers and cursors: what passes the gate lies inside, and everything else is refused. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import { Turns } from "../../src/base/timing.js";
import { Pages, type Snapshot } from "../../src/runtime/answer/pages.js";
import { RenderedList } from "../../src/runtime/listing/list.js";
import { openGate } from "../../src/workspace/gate.js";
import type { Admitted, Gate } from "../../src/workspace/gate-types.js";
import { narrowGate } from "../../src/workspace/session-gate.js";
import { character } from "../characters.js";
import { holdMemory, nearly, patience, rounds } from "./rounds.js";

holdMemory();

let top: string;
let root: string;
let gates: Gate[];

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "fuzz-")));
  root = join(top, "work");
  for (const folder of ["work/src", "work/.git", "work-twin", "outside"])
    mkdirSync(join(top, folder), { recursive: true });
  for (const file of ["work/src/a.ts", "work/.git/config", "work-twin/a.ts", "outside/a.ts"])
    writeFileSync(join(top, file), "x");
  symlinkSync(join(top, "outside"), join(root, "out"));
  symlinkSync("src", join(root, "in"));
  const gate = await openGate({ roots: [root], extraRoots: [], deny: ["**/.git/**"] });
  gates = [gate, narrowGate(gate, [`file://${root}/src`])];
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const part = fc.constantFrom(
  "..",
  ".",
  "",
  "src",
  "in",
  "out",
  ".git",
  ".GIT",
  "a.ts",
  "config",
  "outside",
  "work-twin",
  "%2e%2e",
  "%2f",
  "%00",
  "\0",
  "~",
  "proc",
  "self",
  "C:",
  "\\",
  "é",
  "\u202e",
);
const path = fc.array(part, { maxLength: 10 }).map((parts) => parts.join("/"));
const start = fc.constantFrom(
  "",
  "/",
  "file://",
  "file:///",
  "FILE:///",
  "file://localhost/",
  "file:",
  "//",
  "\\\\?\\",
  "http://",
  "untitled:",
);
const name = fc.oneof(
  fc.tuple(start, path).map(([first, rest]) => first + rest),
  fc.tuple(start, path).map(([first, rest]) => first + join(top, "work", rest)),
  nearly(fc.constant("file:///work/src/a.ts")).map((bytes) => bytes.toString("latin1")),
  fc.string({ unit: character }),
);

function expectInside({ path: real, shown }: Admitted): void {
  expect(real === root || real.startsWith(`${root}/`)).toBe(true);
  expect(real.toLowerCase()).not.toContain("/.git");
  expect(real).not.toContain("\0");
  expect(shown.startsWith("/")).toBe(false);
}

test("a name is admitted inside the roots, or refused", { timeout: patience }, async () => {
  await fc.assert(
    fc.asyncProperty(name, async (given) => {
      for (const gate of gates) {
        for (const admit of [gate.admit, gate.admitEntry]) {
          try {
            const admitted = await admit(given);
            expectInside(admitted);
            expect((await gate.admitEntry(admitted.uri)).path).toBe(admitted.path);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            expect(error.message).not.toContain(top);
          }
        }
        const shown = await gate.show(given);
        if (shown) expectInside(shown);
      }
    }),
    rounds(1_500),
  );
});

test("an invented cursor is refused", { timeout: patience }, async () => {
  const pages = new Pages();
  const binding = Pages.binding("tool", {});
  const turns = new Turns(new AbortController().signal);
  const list = new RenderedList(["a", "b", "c"]);
  const snapshot = {
    header: {},
    beside: {},
    list,
    total: 3,
    isBounded: false,
    files: new Map(),
    sourcesCursor: undefined,
  };
  const wayOn = await pages.keep(binding, snapshot as unknown as Snapshot, turns);
  const cursor = wayOn.cursor(1, ["a"]);
  wayOn.issue(cursor);
  expect((await pages.open(cursor, binding, turns)).offset).toBe(1);
  const forged = fc.oneof(
    nearly(fc.constant(cursor)).map((bytes) => bytes.toString("latin1")),
    nearly(fc.constant(Buffer.from(cursor, "base64url").toString())).map((bytes) =>
      bytes.toString("base64url"),
    ),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(forged, async (text) => {
      try {
        const { offset, snapshot: found } = await pages.open(text, binding, turns);
        expect(offset).toBeLessThan(found.list.length);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        expect(error.code).toMatch(/^page\/cursor-/);
      }
    }),
    rounds(1_000),
  );
});
