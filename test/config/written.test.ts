/** The record of what was written into clients' files: by file, name and client, gone when empty, worth nothing when damaged. */
import { expect, it } from "vitest";
import { listWritten, noteWritten, openWritten } from "../../src/config/edit/written.js";
import { memoryFiles } from "./memory-files.js";

const FILE = "/home/.local/state/lsp-proxy/clients.json";
const one = { file: "/home/.codex/config.toml", name: "lsp-proxy", client: "codex" };

function store(contents: { [path: string]: string } = {}) {
  const files = memoryFiles(contents);
  return { files, written: openWritten({}, "/home", files) };
}

it("keeps one text for each file, name and client, whatever order they came in", () => {
  const { files, written } = store();
  const others = [
    { ...one, name: "other", text: "b" },
    { ...one, file: "/a", text: "c" },
    { ...one, client: "another", text: "d" },
  ];
  for (const note of [{ ...one, text: "old" }, ...others, { ...one, text: "new" }])
    noteWritten(written, note);
  const first = files.contents[FILE];
  expect(listWritten(written)).toHaveLength(4);
  expect(listWritten(written)).toContainEqual({ ...one, text: "new" });
  const again = store();
  for (const note of [...others.toReversed(), { ...one, text: "new" }]) noteWritten(again.written, note);
  expect(again.files.contents[FILE]).toBe(first);
});

it("is gone when nothing is written any more", () => {
  const { files, written } = store();
  noteWritten(written, { ...one, text: "x" });
  expect(files.contents).toHaveProperty([FILE]);
  noteWritten(written, { ...one, text: undefined });
  expect(files.contents).toEqual({});
  noteWritten(written, { ...one, text: undefined });
});

it.each(["{ oops", "[]", '{"version":2,"written":[]}', '{"version":1,"written":{}}'])(
  "is made anew when it is %j",
  (text) => {
    const { written } = store({ [FILE]: text });
    expect(listWritten(written)).toEqual([]);
    noteWritten(written, { ...one, text: "x" });
    expect(listWritten(written)).toEqual([{ ...one, text: "x" }]);
  },
);

it("leaves out what has another form", () => {
  const { written } = store({
    [FILE]: JSON.stringify({ version: 1, written: [{ ...one, text: 1 }, null, { ...one, text: "x" }] }),
  });
  expect(listWritten(written)).toEqual([{ ...one, text: "x" }]);
});
