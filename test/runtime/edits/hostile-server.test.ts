import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { snapshotOf } from "../../workspace/edits/bench.js";
import { codeOf, editing } from "./support.js";

const rounds = process.env.SOAK_ROUNDS === undefined ? 100 : 1_000;
/** About one in ten can be applied. There must be more than this of them: rounds are added until there are. */
const fewPreviews = 5;
const mostRounds = 5 * rounds;

const mild = ["a.fake", "b.fake", "src/c.fake", "src", "new.fake", "dir/new.fake", "link.fake"].map(
  (name) => `file:///work/${name}`,
);
const wild: Json[] = [
  ...["file:///work/../outside/x.fake", "file:///work/%2e%2e/outside/x.fake", "file:///work/out/x.fake"],
  ...[
    "file:///work/..%2foutside%2fx.fake",
    "file:///work/.git/config",
    "file:///work/.GIT/config",
    "file:///work",
  ],
  ...[
    "file:///work/a.fake%00",
    "file:///work/a.fake?x",
    "file:///work/a.fake/below",
    `file:///work/${"x".repeat(400)}`,
  ],
  ...["file:///etc/hosts", "file://evil/etc/hosts", "http://example.org/a.fake", "untitled:Untitled-1"],
  ...["/etc/hosts", "a.fake", "", "file:///work/src/up/outside/x.fake", null, 5, {}, ["file:///work/a.fake"]],
];
const uri = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...mild) },
  { weight: 1, arbitrary: fc.constantFrom(...wild) },
);
const number: fc.Arbitrary<Json> = fc.oneof(
  { weight: 40, arbitrary: fc.nat(9) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, 2 ** 31, 1e300, "1", null) },
);
const position = fc.record({
  line: fc.oneof({ weight: 20, arbitrary: fc.constant<Json>(0) }, number),
  character: number,
});
const textEdit: fc.Arbitrary<Json> = fc.record(
  {
    range: fc.oneof(
      { weight: 30, arbitrary: fc.tuple(position, fc.nat(3)).map(reach) },
      fc.constant<Json>(null),
    ),
    newText: fc.oneof({ weight: 20, arbitrary: fc.string() }, fc.constantFrom<Json>("\ud800", "\0", 7, null)),
    annotationId: fc.constantFrom("note", "none"),
    snippet: fc.constantFrom<Json>({ kind: "snippet", value: "$1x$0" }, "x"),
  },
  { requiredKeys: ["range", "newText"] },
);
const options: fc.Arbitrary<Json> = fc.record(
  {
    overwrite: fc.boolean(),
    ignoreIfExists: fc.boolean(),
    recursive: fc.boolean(),
    ignoreIfNotExists: fc.boolean(),
  },
  { requiredKeys: [] },
);
const edits = fc.array(textEdit, { minLength: 1, maxLength: 3 });
const operation: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      textDocument: fc.record({ uri, version: fc.constantFrom<Json>(null, null, 1, 99, -1) }),
      edits,
    }),
  },
  fc.record({ kind: fc.constant("create"), uri, options }),
  fc.record({ kind: fc.constant("rename"), oldUri: uri, newUri: uri, options }),
  fc.record({ kind: fc.constant("delete"), uri, options }),
  { weight: 1, arbitrary: fc.constantFrom<Json>({ kind: "explode", uri: mild[0] ?? "" }, {}, null, 3, []) },
);
const workspaceEdit: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ documentChanges: fc.array(operation, { minLength: 1, maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.tuple(uri, edits), { maxLength: 2 }).map((list) => ({ changes: tableOf(list) })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      documentChanges: fc.array(operation, { maxLength: 2 }),
      changes: fc.constant<Json>({ [mild[0] ?? ""]: [] }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(null, {}, [], 1, "x", { documentChanges: 5 }, { changes: [] }),
  },
);

function reach([start, length]: [{ line: Json; character: Json }, number]): Json {
  const end = typeof start.character === "number" ? start.character + length : start.character;
  return { start, end: { line: start.line, character: end } };
}

function tableOf(list: [Json, Json[]][]): JsonObject {
  return Object.fromEntries(list.map(([name, changes]) => [String(name), changes]));
}

test("edits of a hostile server touch nothing outside the roots, and each can be undone", {
  timeout: 300_000,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const replies = fc.sample(workspaceEdit, { numRuns: mostRounds, seed });
  const work = await editing({
    files: {
      ...{ "a.fake": "function greet() {}\n", "b.fake": "greet();\r\n𝒳 greet();" },
      ...{ "src/c.fake": "\ufeffgreet();\n", ".git/config": "secret\n" },
    },
    replies: { "textDocument/rename": { $each: [...replies, null] } },
  });
  const top = dirname(work.folder);
  mkdirSync(join(top, "outside"));
  writeFileSync(join(top, "outside/x.fake"), "greet();\n");
  symlinkSync(join(top, "outside"), join(work.folder, "out"));
  symlinkSync("../..", join(work.folder, "src/up"));
  symlinkSync("b.fake", join(work.folder, "link.fake"));
  const before = snapshotOf(work.folder);
  const outside = snapshotOf(join(top, "outside"));
  const codes = new Map<string, number>();
  const previews = () => codes.get("preview") ?? 0;
  for (const [round, reply] of replies.entries()) {
    if (round >= rounds && previews() > fewPreviews) break;
    const where = `seed ${seed}, round ${round}: ${JSON.stringify(reply)}`;
    const preview = await work.call("rename_symbol", {
      ...{ file_path: "a.fake", line: 1, character: 10, new_name: `hello${round}` },
    });
    expect(snapshotOf(work.folder), where).toEqual(before);
    const token = preview.structured.edit_token;
    if (typeof token === "string") {
      const applied = await work.call("apply_workspace_edit", { edit_token: token, dry_run: false });
      expect(applied.structured, where).toMatchObject({ ok: true });
      const undo = applied.structured.undo_token;
      if (typeof undo === "string") await work.call("undo_edit", { undo_token: undo, dry_run: false });
    }
    const code = String(codeOf(preview) ?? preview.structured.status);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    // An invalid reply must not be an internal error.
    expect(code, where).not.toBe("runtime/fault");
    expect(snapshotOf(join(top, "outside")), where).toEqual(outside);
    expect(snapshotOf(work.folder), where).toEqual(before);
  }
  expect(previews()).toBeGreaterThan(fewPreviews);
  expect(codes.size).toBeGreaterThan(4);
});
