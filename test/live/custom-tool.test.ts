/** A tool for a method that only one server has, added by config alone, against that real server. */
import { afterEach, describe, expect, it } from "vitest";
import { type LiveSession, openSession } from "./session.js";

let session: LiveSession | undefined;
afterEach(async () => {
  await session?.close();
  session = undefined;
});

const server =
  '[allow]\ncommands = ["vscode-json-language-server"]\n[[servers]]\nid = "json"\nkind = "vscode-json-language-server"\n';

describe("a custom method", () => {
  it("becomes a tool with ten lines of TOML", async () => {
    session = await openSession(
      "json",
      `${server}
[[methods]]
method = "json/sort"
servers = ["json"]

[[tools]]
name = "sort_json"
description = "The edits that sort the keys of a JSON file."
servers = ["json"]
input = "document"
output = "json"
args.tab_size = { type = "integer", default = 2, minimum = 1, maximum = 8, description = "Spaces per level, 1 to 8." }
request = { method = "json/sort", params = { set = { uri = { from = "document.uri" }, options = { insertSpaces = true, tabSize = { from = "input.tab_size" } } } } }
`,
    );
    session.write("unsorted.json", '{\n  "b": 1,\n  "a": "é😀"\n}\n');
    const { tools } = await session.client.listTools();
    const tool = tools.find(({ name }) => name === "sort_json");
    expect(tool?.annotations).toMatchObject({ readOnlyHint: true });
    expect(tool?.inputSchema.properties).toHaveProperty("tab_size");
    const { isError, structuredContent, content } = await session.call("sort_json", {
      file_path: "unsorted.json",
    });
    expect(isError).toBeFalsy();
    const edits = structuredContent.value as { newText: string }[];
    expect(edits.map(({ newText }) => newText).join("")).toMatch(/"a": "é😀",\n\s*"b": 1/);
    expect(content[0]?.text).toContain("é😀");
    const refused = await session.call("sort_json", { file_path: "unsorted.json", tab_size: 9 });
    expect(refused.structuredContent).toMatchObject({
      ok: false,
      error: { code: "guard/invalid-arguments" },
    });
  });

  it("is a problem when it is not declared", async () => {
    const tool =
      '[[tools]]\nname = "x"\ndescription = "x"\ninput = "document"\noutput = "json"\nrequest = { method = "json/sort", params = "text_document" }\n';
    await expect(openSession("json", `${server}${tool}`)).rejects.toThrow();
  });
});
