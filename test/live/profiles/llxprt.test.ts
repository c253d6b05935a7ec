/** The profile `llxprt` with a real server: every tool's own lines. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientToolsText } from "../../profiles/patient-llxprt.js";
import { type LiveSession, openSession } from "../session.js";
import { type Driven, driven, listed, publishing, utf16Place } from "./support.js";

describe("llxprt", () => {
  let session: LiveSession;
  let used: Driven;
  beforeAll(async () => {
    session = await openSession("typescript", publishing("llxprt") + patientToolsText);
    used = driven(session);
  });
  afterAll(() => session?.close());

  const said = async (tool: string, args: object) => {
    const result = await used.call(tool, args);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toBeUndefined();
    return result.content.map((block) => block.text);
  };

  it("answers every tool in its own lines", async () => {
    const at = { file: "src/app.ts", ...utf16Place(session, "src/app.ts", "first = |greet(wave)") };
    const { line, character } = session.place("src/greet.ts", "function |greet");
    expect(await said("lsp_goto_definition", at)).toEqual([`src/greet.ts:${line}:${character}`]);
    const [references = ""] = await said("lsp_find_references", at);
    expect(references.split("\n")).toHaveLength(7);
    expect(references.split("\n")).toContain(`src/greet.ts:${line}:${character}`);
    expect(references.split("\n")).toContain(`src/app.ts:${at.line}:${at.character}`);
    expect((await said("lsp_hover", at))[0]).toContain("greet(name: string): string");
    const [symbols = ""] = await said("lsp_document_symbols", { file: "src/greet.ts" });
    expect(symbols.split("\n")).toEqual(
      expect.arrayContaining(["function greet [line 2]", "class Polite [line 10]", "method hello [line 11]"]),
    );
    const [found = ""] = await said("lsp_workspace_symbols", { query: "Polite" });
    expect(found.split("\n")).toContain("class Polite (src/greet.ts:10)");
    // Known files are those that a server has looked at.
    await said("lsp_document_symbols", { file: "src/broken.ts" });
    await expect
      .poll(async () => (await said("lsp_diagnostics", {}))[0])
      .toMatch(/^src\/broken\.ts:\n {2}error \[3:\d+\] Type 'string'.* \(2322\)$/m);
    expect([...used.names].sort()).toEqual(await listed(session));
  });

  it("says in its own words that there is nothing, and that it failed", async () => {
    const empty = { file: "src/greet.ts", line: 5, character: 1 };
    expect((await said("lsp_goto_definition", empty))[0]).toBe("No definition found");
    expect((await said("lsp_hover", empty))[0]).toBe("No hover information available");
    expect((await said("lsp_workspace_symbols", { query: "Nowhere" }))[0]).toBe("No symbols found");
    const outside = { file: "../outside.ts", line: 1, character: 1 };
    expect(await said("lsp_hover", outside)).toEqual(["Error: File is outside workspace boundary"]);
    expect((await said("lsp_hover", { file: "src/none.ts", line: 1, character: 1 }))[0]).toMatch(/^Error: /);
  });

  it("has the arguments of the original and no others", async () => {
    const { tools } = await session.client.listTools();
    const schema = tools.find((tool) => tool.name === "lsp_goto_definition")?.inputSchema;
    expect(Object.keys(schema?.properties ?? {}).sort()).toEqual(["character", "file", "line"]);
    expect([...(schema?.required ?? [])].sort()).toEqual(["character", "file", "line"]);
    expect(session.client.getServerVersion()?.name).toBe("lsp-navigation");
  });
});
