/** A rename warns of files that have the old name and are not changed: servers do not find every use. */
import { afterEach, expect, it } from "vitest";
import { type LiveSession, openSession } from "./session.js";

let session: LiveSession;
afterEach(() => session?.close());

async function rename(symbol_name: string): Promise<unknown> {
  const args = { file_path: "lib/a.js", symbol_name, new_name: "renamed" };
  const { structuredContent } = await session.call("rename_symbol", args);
  expect(structuredContent).toMatchObject({ ok: true, status: "preview" });
  return structuredContent.warnings;
}

it("a rename of what CommonJS exports names the files that use it, one of a local variable does not", async () => {
  const config = '[allow]\neffects = ["read", "edit"]\n[[servers]]\nid = "ts"\nkind = "typescript"\n';
  session = await openSession("empty", config, ["--trust-workspace"]);
  const body = "{\n  const sum = a + b;\n  return sum;\n}\n";
  session.write("lib/a.js", `function add(a, b) ${body}module.exports = { add };\n`);
  session.write("lib/b.js", 'const { add } = require("./a");\nexports.sum = add(1, 2);\n');
  session.write("test/a.test.js", 'const a = require("../lib/a");\na.add(3, 4);\n');
  session.write("lib/address.js", "exports.address = 1;\n");
  const message = expect.stringContaining(
    "2 files that this edit does not change: lib/b.js, test/a.test.js.",
  );
  expect(await rename("add")).toMatchObject([{ code: "answer/name-elsewhere", message }]);
  expect(await rename("add/sum")).toEqual([]);
}, 120_000);
