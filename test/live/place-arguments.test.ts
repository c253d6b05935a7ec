/** Arguments that are places, by config alone, against a real server: a destination, a second position, a symbol, an item. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository } from "./session.js";

const config = `
[allow]
commands = ["typescript-language-server"]
effects = ["read", "edit"]

[[servers]]
id = "ts"
kind = "typescript-language-server"
[servers.initialize_options.tsserver]
path = "${join(repository, "node_modules", "typescript-5", "lib", "tsserver.js")}"

[[tools]]
name = "imports_after_move"
description = "The edits of imports if the file were moved."
effect = "edit"
input = "document"
output = "workspace_edit"
args.to = { type = "path", exists = false, description = "The new path." }
request = { method = "workspace/willRenameFiles", params = { set = { files = [{ oldUri = { from = "document.uri" }, newUri = { from = "input.to" } }] } } }

[[tools]]
name = "definitions_of_two"
description = "Where the symbols at two positions are defined."
input = "position"
output = "json"
args.other = { type = "position", description = "The other position." }
[[tools.steps]]
id = "first"
tool = "find_definition"
args = { file_path = { from = "input.file_path" }, line = { from = "input.line" }, character = { from = "input.character" } }
[[tools.steps]]
id = "second"
tool = "definition_of_second"
args = { file_path = { from = "input.file_path" }, other = { from = "input.other" } }

[[tools]]
name = "definition_of_second"
description = "Where the symbol at the other position is defined."
input = "document"
output = "locations"
args.other = { type = "position", description = "The other position." }
request = { method = "textDocument/definition", params = { set = { textDocument = { from = "input.other.text_document" }, position = { from = "input.other" } } } }

[[tools]]
name = "hover_of_symbol"
description = "What another symbol is."
input = "document"
output = "hover"
args.symbol = { type = "symbol", description = "The symbol." }
request = { method = "textDocument/hover", params = { set = { textDocument = { from = "input.symbol.text_document" }, position = { from = "input.symbol.position" } } } }

[[tools]]
name = "callers_of_item"
description = "Who calls an item of an earlier answer."
output = "calls"
args.item = { type = "item", target = true, description = "An item of an answer." }
[[tools.steps]]
id = "items"
method = "textDocument/prepareCallHierarchy"
params = "text_document_position"
expect = "some"
[[tools.steps]]
id = "calls"
method = "callHierarchy/incomingCalls"
each = { from = "step.items" }
params = { set = { item = { from = "each" } } }
`;

describe("typescript-language-server", () => {
  let session: LiveSession;
  beforeAll(async () => {
    session = await openSession("typescript", config);
  });
  afterAll(() => session?.close());

  it("says which imports change when a file moves to a destination", async () => {
    const { structuredContent } = await session.call("imports_after_move", {
      file_path: "src/greet.ts",
      to: "src/words/greet.ts",
    });
    expect(structuredContent).toMatchObject({ ok: true });
    const { files } = structuredContent.edit as { files: { path: string; edits: { new_text: string }[] }[] };
    const app = files.find(({ path }) => path === "src/app.ts");
    expect(app?.edits.map(({ new_text }) => new_text).join()).toContain("./words/greet");
    expect(existsSync(join(session.folder, "src/words"))).toBe(false);
  });

  it.each([
    "../../../etc/passwd",
    "/etc/passwd",
    ".git/greet.ts",
    "src/app.ts",
    "file:///etc/passwd",
    "src/a\0.ts",
  ])("refuses to move it to %j", async (to) => {
    const { structuredContent } = await session.call("imports_after_move", { file_path: "src/greet.ts", to });
    expect(structuredContent).toMatchObject({
      ok: false,
      error: { code: expect.stringMatching(/^guard\//) },
    });
  });

  it("finds two positions, behind text that is not ASCII", async () => {
    const { structuredContent } = await session.call("definitions_of_two", {
      file_path: "src/app.ts",
      ...session.place("src/app.ts", "Greeter, |greet, Polite"),
      other: { file_path: "src/app.ts", ...session.place("src/app.ts", "first = |greet(wave)") },
    });
    const greet = { path: "src/greet.ts", ...session.place("src/greet.ts", "function |greet") };
    expect(structuredContent).toMatchObject({
      ok: true,
      value: { first: { locations: [greet] }, second: { locations: [greet] } },
    });
  });

  it("finds a second symbol by its name", async () => {
    const { structuredContent } = await session.call("hover_of_symbol", {
      file_path: "src/app.ts",
      symbol: { file_path: "src/greet.ts", symbol_name: "greet" },
    });
    expect(JSON.stringify(structuredContent.contents)).toContain("function greet");
  });

  it("takes an item of an earlier answer", async () => {
    const found = await session.call("find_definition", {
      file_path: "src/app.ts",
      ...session.place("src/app.ts", "first = |greet(wave)"),
    });
    const [item] = found.structuredContent.locations as object[];
    const { structuredContent } = await session.call("callers_of_item", { item });
    const callers = structuredContent.calls as { path: string }[];
    expect(callers.map(({ path }) => path)).toContain("src/app.ts");
  });
});
