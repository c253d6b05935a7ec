/** Texts as they come: columns in every encoding on hard lines, and files that are no texts at all. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { PositionEncoding } from "../../src/base/text.js";
import { openTestWorkspace, range, type TestWorkspace, type TestWorkspaceOptions } from "./test-workspace.js";

const workspaces: TestWorkspace[] = [];
afterEach(async () => {
  for (const work of workspaces.splice(0)) await work.close();
});

async function open(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const work = await openTestWorkspace(options);
  workspaces.push(work);
  return work;
}

/** Each line has the word `mark` behind something that is counted differently by somebody. */
const lines = [
  "plain mark",
  "\t\ttabs mark",
  "é mark",
  "e\u0301 combining mark",
  "漢字 CJK mark",
  "😀 astral mark",
  "👩‍👩‍👧‍👦 family mark",
  "\u{1F1E9}\u{1F1EA} flag mark",
  "\u200Fעברית mark",
  "",
  "mark",
];

/** A column as each encoding counts it. */
function columnIn(encoding: PositionEncoding, before: string): number {
  if (encoding === "utf-8") return Buffer.byteLength(before);
  return encoding === "utf-16" ? before.length : [...before].length;
}

describe.each(["\n", "\r\n"])("columns with lines that end in %j", (end) => {
  it.each<PositionEncoding>(["utf-8", "utf-16", "utf-32"])("are right in and out, %s", async (encoding) => {
    const words = lines.flatMap((line, number) => {
      const at = line.indexOf("mark");
      return at < 0 ? [] : [{ line, number, at }];
    });
    const locations = words.map(({ line, number, at }) => ({
      uri: "file:///work/a.fake",
      range: range(number, columnIn(encoding, line.slice(0, at)), columnIn(encoding, line.slice(0, at + 4))),
    }));
    const { call, received } = await open({
      files: { "a.fake": lines.join(end) },
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true, positionEncoding: encoding },
            replies: { "textDocument/references": locations },
          },
        },
      },
    });
    for (const { line, number, at } of words) {
      const character = [...line.slice(0, at)].length + 1;
      const { structured } = await call("find_references", {
        file_path: "a.fake",
        line: number + 1,
        character,
      });
      const sent = (await received("textDocument/references")).at(-1);
      const column = columnIn(encoding, line.slice(0, at));
      expect(sent?.position).toEqual({ line: number, character: column });
      expect(
        (structured.locations as JsonObject[])[words.findIndex((word) => word.number === number)],
      ).toEqual({
        path: "a.fake",
        line: number + 1,
        character,
        end_line: number + 1,
        end_character: character + 4,
        text: line.trim(),
      });
    }
  });
});

describe("files that are no texts", () => {
  const at = { line: 1, character: 1 };
  const scenario = {
    capabilities: { hoverProvider: true },
    replies: { "textDocument/hover": { contents: { $text: true } } },
  };

  it.each<[string, (path: string) => void, RegExp]>([
    ["huge", (path) => writeFileSync(path, "x".repeat(3_000)), /larger than 2048 bytes/],
    ["binary", (path) => writeFileSync(path, Buffer.from([104, 0, 105])), /binary/],
    ["not UTF-8", (path) => writeFileSync(path, Buffer.from([104, 0xe9, 105])), /not UTF-8/],
    ["deleted", () => undefined, /does not exist/],
    ["a folder", (path) => mkdirSync(path), /folder/],
    ["a link out of the workspace", (path) => symlinkSync("/etc/hostname", path), /outside/],
  ])("are refused clearly when an open file becomes one: %s", async (_kind, become, words) => {
    const { call, folder } = await open({
      files: { "a.fake": "text\n", "b.fake": "other\n" },
      servers: { fake: { scenario } },
      config: { limits: { max_file_bytes: 2048 } },
    });
    const path = join(folder, "a.fake");
    expect((await call("get_hover", { file_path: "a.fake", ...at })).structured.contents).toEqual(["text\n"]);
    rmSync(path);
    become(path);
    const { isError, structured } = await call("get_hover", { file_path: "a.fake", ...at });
    expect(isError).toBe(true);
    expect((structured.error as JsonObject).code).toMatch(/^guard\//);
    expect((structured.error as JsonObject).message).toMatch(words);
    // The others go on, and so does the file when it is a text again.
    expect((await call("get_hover", { file_path: "b.fake", ...at })).structured.contents).toEqual([
      "other\n",
    ]);
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, "back\n");
    expect((await call("get_hover", { file_path: "a.fake", ...at })).structured.contents).toEqual(["back\n"]);
  });
});
