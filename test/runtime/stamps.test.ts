/** Which look at a file an answer may rest on: not one that is older than the text that its places are read in. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Lines } from "../../src/base/text.js";
import type { LanguageServer, OpenDocument } from "../../src/lsp/types.js";
import { Places } from "../../src/runtime/answer/convert.js";
import type { Gate } from "../../src/workspace/types.js";
import { callState, serverOf } from "./doubles.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-stamps-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const path = join(root, "a.fake");
const uri = pathToFileURL(path).href;
writeFileSync(path, "one\n");

test.each<[string, Partial<LanguageServer>, boolean]>([
  ["was known", { textOf: () => new Lines("one\n") }, true],
  [
    "is open, and may be newer",
    { textOf: () => new Lines("two\n"), opened: () => ({}) as OpenDocument },
    false,
  ],
  ["is read, and may be newer", { textOf: async () => new Lines("one\n") }, false],
])("how a file stands, where its text %s: %#", async (_what, more, isKnown) => {
  const { plan } = callState();
  const gate: Gate = {
    ...callState().gate,
    show: (_uri, follow = (name) => name) => ({ path: follow(path), uri, shown: "a.fake", writable: true }),
  };
  const places = new Places(gate, plan.dialect);
  places.isAnswered = true;
  places.show(uri);
  const isExact = process.platform === "linux";
  expect(places.stampOf(path) !== undefined).toBe(isExact);
  await places.lines({ ...serverOf({ [uri]: "one\n" }), opened: () => undefined, ...more }, uri);
  expect(places.stampOf(path) !== undefined).toBe(isKnown && isExact);
});
