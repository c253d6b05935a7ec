/** Edits of a hostile server: whatever it asks for, nothing outside the roots, denied or read-only is ever touched. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json } from "../../../src/base/json.js";
import { editing, files, greet } from "./support.js";

const rounds = 80;
const names = [
  "a.fake",
  "b.fake",
  "sub/c.fake",
  "new.fake",
  "deep/er/new.fake",
  "sub",
  "",
  "../out/x.fake",
  "../out",
  "..",
  "link/x.fake",
  "link",
  "dangling",
  ".git/config",
  ".GIT/config",
  "sub/../../out/x.fake",
  "%2e%2e/out/x.fake",
  "sub%2f..%2f..%2fout%2fx.fake",
  "a.fake%00",
  `${"n".repeat(300)}.fake`,
  "a.fake/below",
];
const uri = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom("a", "b", "sub/c", "new", "sub/new")
      .map((name) => `file:///work/${name}.fake`),
  },
  { weight: 4, arbitrary: fc.constantFrom(...names).map((name) => `file:///work/${name}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "file:///etc/passwd",
      "file://host/x",
      "http://x/y",
      "untitled:1",
      "",
      "a.fake",
    ),
  },
);
const point = fc.record({ line: fc.nat(3), character: fc.nat(25) });
const range = fc.oneof(
  fc.record({ start: point, end: point }),
  fc.nat(3).map((character) => ({ start: { line: 0, character }, end: { line: 0, character } })),
);
const text = fc.constantFrom("", "x", "😀\n", "\r\n", "$0");
const edits = fc.array(fc.record({ range, newText: text }), { maxLength: 3 });
const flags = fc.record({
  overwrite: fc.boolean(),
  ignoreIfExists: fc.boolean(),
  recursive: fc.boolean(),
  ignoreIfNotExists: fc.boolean(),
});
const change = fc.oneof(
  fc.record({ textDocument: fc.record({ uri, version: fc.constantFrom(null, 0, 1, 9) }), edits }),
  fc.record({ kind: fc.constant("create"), uri, options: flags }),
  fc.record({ kind: fc.constant("rename"), oldUri: uri, newUri: uri, options: flags }),
  fc.record({ kind: fc.constant("delete"), uri, options: flags }),
);
const workspaceEdit = fc.oneof(
  fc.record({ documentChanges: fc.array(change, { maxLength: 4 }) }),
  fc.record({ changes: fc.dictionary(uri, edits, { maxKeys: 3 }) }),
);

/** Everything below a folder: names, kinds, contents, targets of links. */
function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const facts = lstatSync(path);
      if (facts.isSymbolicLink()) return `${name} → ${readlinkSync(path)}`;
      return facts.isFile() ? `${name}: ${readFileSync(path, "utf8")}` : `${name}/`;
    });
}

it("nothing outside the roots, and nothing denied, is touched by any of them", async () => {
  const asked = fc.sample(workspaceEdit, { numRuns: rounds, seed: 5 });
  const workshop = await editing({
    files: { ...files, "sub/c.fake": "c\n", ".git/config": "[core]\n" },
    replies: { "textDocument/rename": { $each: asked as Json } },
  });
  const outside = join(workshop.folder, "../out");
  mkdirSync(outside);
  writeFileSync(join(outside, "x.fake"), "outside\n");
  symlinkSync(outside, join(workshop.folder, "link"));
  symlinkSync(join(workshop.folder, "../nowhere"), join(workshop.folder, "dangling"));
  const before = { outside: treeOf(outside), git: treeOf(join(workshop.folder, ".git")) };
  const around = readdirSync(join(workshop.folder, ".."));
  const outcomes = { applied: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    // What an edit took away is put back, so that the next one has something to spoil.
    writeFileSync(join(workshop.folder, "a.fake"), files["a.fake"]);
    const tree = treeOf(workshop.folder);
    const { structured, isError } = await workshop.call("rename_symbol", { ...greet, dry_run: false });
    if (isError) {
      outcomes.refused++;
      expect(treeOf(workshop.folder)).toEqual(tree);
    } else outcomes.applied += structured.status === "applied" ? 1 : 0;
    expect(treeOf(outside)).toEqual(before.outside);
    expect(treeOf(join(workshop.folder, ".git"))).toEqual(before.git);
    expect(readdirSync(join(workshop.folder, "..")).filter((name) => name !== "state")).toEqual(
      around.filter((name) => name !== "state"),
    );
  }
  expect(outcomes.refused).toBeGreaterThan(10);
  expect(outcomes.applied).toBeGreaterThan(3);
}, 300_000);
