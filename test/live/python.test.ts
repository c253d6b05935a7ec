import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession } from "./session.js";

describe("pyright", () => {
  let session: LiveSession;
  beforeAll(async () => {
    session = await openSession(
      "python",
      '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n',
    );
  });
  afterAll(() => session?.close());

  it("finds definitions and references behind text that is not ASCII", async () => {
    const at = session.place("app.py", "first = |greet(wave)");
    const definition = await session.call("find_definition", { file_path: "app.py", ...at });
    expect(definition.structuredContent.locations).toMatchObject([
      { path: "greet.py", ...session.place("greet.py", "def |greet") },
    ]);
    const references = await session.call("find_references", { file_path: "app.py", ...at });
    const places = (
      references.structuredContent.locations as { path: string; line: number; character: number }[]
    ).map(({ path, line, character }) => ({ path, line, character }));
    expect(places).toEqual([
      { path: "app.py", ...session.place("app.py", "Greeter, |greet") },
      { path: "app.py", ...session.place("app.py", "first = |greet(") },
      { path: "app.py", ...session.place("app.py", "+ |greet(") },
      { path: "broken.py", ...session.place("broken.py", "import |greet") },
      { path: "broken.py", ...session.place("broken.py", "int = |greet(") },
      { path: "greet.py", ...session.place("greet.py", "def |greet") },
      { path: "greet.py", ...session.place("greet.py", "return |greet(") },
    ]);
  });

  it("hovers, lists symbols and searches the workspace", async () => {
    const at = session.place("app.py", "first = |greet(wave)");
    const hover = await session.call("get_hover", { file_path: "app.py", ...at });
    expect(hover.content[0]?.text).toContain("Says hello: 挨拶.");
    const symbols = await session.call("get_document_symbols", { file_path: "greet.py" });
    expect(symbols.structuredContent.symbols).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "greet", kind: "function" }),
        expect.objectContaining({ name: "hello", kind: "method", container: "Greeter" }),
      ]),
    );
    const found = await session.call("search_workspace_symbols", { query: "Greeter" });
    expect(found.structuredContent.symbols).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "Greeter", kind: "class", path: "greet.py" })]),
    );
  });

  it("pulls diagnostics that were only registered later", async () => {
    const broken = await session.call("get_diagnostics", { file_path: "broken.py" });
    expect(broken.structuredContent).toMatchObject({ status: "diagnostics" });
    expect(broken.structuredContent.diagnostics).toMatchObject([
      { severity: "error", ...session.place("broken.py", "int = |greet(") },
    ]);
    const clean = await session.call("get_diagnostics", { file_path: "app.py" });
    expect(clean.structuredContent).toMatchObject({ status: "clean", diagnostics: [] });
  });

  it("is notified of generated code that git ignores, when it changes and when it is new", {
    timeout: 300_000,
  }, async () => {
    const status = async () =>
      (await session.call("get_diagnostics", { file_path: "uses.py" })).structuredContent.status;
    mkdirSync(join(session.folder, "gen"));
    session.write(".gitignore", "gen/\n");
    session.write("gen/__init__.py", "");
    session.write("gen/made.py", "VALUE = 1\n");
    session.write("uses.py", "from gen.made import VALUE\nused: int = VALUE\n");
    await expect.poll(status).toBe("clean");
    session.write("gen/made.py", 'VALUE = "text"\n');
    await expect.poll(status).toBe("diagnostics");
    session.write("uses.py", "from gen.later import VALUE\nused: int = VALUE\n");
    await expect.poll(status).toBe("diagnostics");
    session.write("gen/later.py", "VALUE = 1\n");
    await expect.poll(status).toBe("clean");
  });
});

describe("pyright, asked at once", () => {
  it("has found the files of a root before its first references count, of one that comes later too", async () => {
    const session = await openSession(
      "python",
      '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n',
    );
    try {
      for (const root of ["one", "two"]) {
        session.write(`${root}/pyrightconfig.json`, "{}");
        for (let index = 0; index < 60; index++)
          session.write(`${root}/user${index}.py`, "import used\n\nused.used_by_all()\n");
        session.write(`${root}/used.py`, "def used_by_all() -> None: ...\n");
      }
      for (const path of ["one/used.py", "two/used.py"]) {
        const at = session.place(path, "def |used_by_all");
        const { structuredContent } = await session.call("find_references", { file_path: path, ...at });
        expect([structuredContent.total, structuredContent.readiness]).toEqual([61, "ready"]);
      }
    } finally {
      await session.close();
    }
  });
});
