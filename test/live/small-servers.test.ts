import { afterEach, describe, expect, it } from "vitest";
import { type LiveSession, openSession } from "./session.js";

let session: LiveSession | undefined;
afterEach(async () => {
  await session?.close();
  session = undefined;
});

async function open(fixture: string, kind: string, command: string): Promise<LiveSession> {
  session = await openSession(
    fixture,
    `[allow]\ncommands = ["${command}"]\n[[servers]]\nid = "one"\nkind = "${kind}"\n`,
  );
  return session;
}

describe("bash-language-server", () => {
  it("finds definitions, references and symbols, and reports unsupported requests", async () => {
    const live = await open("bash", "bash-language-server", "bash-language-server");
    const at = live.place("greet.sh", '😀"; |greet');
    const definition = await live.call("find_definition", { file_path: "greet.sh", ...at });
    expect(definition.structuredContent.locations).toMatchObject([{ path: "greet.sh", line: 3 }]);
    const references = await live.call("find_references", { file_path: "greet.sh", ...at });
    expect(
      (references.structuredContent.locations as { line: number; character: number }[]).map(
        ({ line, character }) => [line, character],
      ),
    ).toEqual([
      [3, 1],
      [at.line, at.character],
      [8, 1],
    ]);
    const symbols = await live.call("get_document_symbols", { file_path: "greet.sh" });
    expect(symbols.structuredContent.symbols).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "greet", kind: "function" })]),
    );
    const calls = await live.call("get_incoming_calls", { file_path: "greet.sh", ...at });
    expect(JSON.stringify(calls.structuredContent)).toContain("not-supported");
  });
});

describe("yaml-language-server", () => {
  it("finds an anchor, hovers and reports errors", async () => {
    const live = await open("yaml", "yaml-language-server", "yaml-language-server");
    const at = live.place("compose.yaml", '"é😀": *|base');
    const definition = await live.call("find_definition", { file_path: "compose.yaml", ...at });
    expect(definition.structuredContent.locations).toMatchObject([
      { path: "compose.yaml", ...live.place("compose.yaml", "|greeting") },
    ]);
    const symbols = await live.call("get_document_symbols", { file_path: "compose.yaml" });
    expect((symbols.structuredContent.symbols as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["base", "one", "two"]),
    );
    const broken = await live.call("get_diagnostics", { file_path: "broken.yaml" });
    expect(broken.structuredContent).toMatchObject({ status: "diagnostics" });
    const clean = await live.call("get_diagnostics", { file_path: "compose.yaml" });
    expect(clean.structuredContent).toMatchObject({ status: "clean" });
  });
});

describe("vscode-json-language-server", () => {
  it("lists symbols and reports errors", async () => {
    const live = await open("json", "vscode-json-language-server", "vscode-json-language-server");
    const symbols = await live.call("get_document_symbols", { file_path: "data.json" });
    expect(symbols.structuredContent.symbols).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "grüße 👋", line: 2 }),
        expect.objectContaining({ name: "list", line: 3 }),
      ]),
    );
    const broken = await live.call("get_diagnostics", { file_path: "broken.json" });
    expect(broken.structuredContent).toMatchObject({ status: "diagnostics" });
    expect((broken.structuredContent.diagnostics as { line: number }[])[0]).toMatchObject({
      line: 3,
      severity: "error",
    });
    const clean = await live.call("get_diagnostics", { file_path: "data.json" });
    expect(clean.structuredContent).toMatchObject({ status: "clean" });
    const definition = await live.call("find_definition", { file_path: "data.json", line: 2, character: 4 });
    expect(JSON.stringify(definition.structuredContent)).toContain("not-supported");
  });
});
