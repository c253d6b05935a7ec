/** Profiles are data: the folder holds nothing else, and a config can be a profile of its own. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openSession, repository } from "../session.js";
import { allow, listed } from "./support.js";

/** A profile of a system that never was: every word of it is its own. */
const sixth = `
extends = ["tools/batch"]

[mcp]
name = "sechs"
version = "6.6"
instructions = "Nur lesen."
[mcp.tools]
allow = ["wo_ist", "alle_stellen", "umriss", "was_ist", "suche", "sammel"]

[dialect]
document = { field = "datei", form = "uri" }
position = { form = "object", line = "zeile", character = "spalte", line_base = 0, character_base = 1, unit = "utf-8" }
symbol = { name = "bezeichner", kind = "art", extent = "declaration" }
query = "begriff"
listing = { size = "seite", cursor = "marke", most = "hoechstens", beyond = "clamp" }
result = "both"
echo = "frage"
[dialect.members]
schema_version = ""
server_id = ""
total = "gesamt"
warnings = "hinweise"
next_cursor = "naechste"
selection_range = "namensbereich"
id = "kennzeichen"
[dialect.warnings]
code = "merkmal"
codes = { "answer/clamped" = "GESTUTZT" }
[dialect.errors]
code = "merkmal"
message = "grund"
number = "nummer"
text = "Geht nicht ({{number}}, {{code}}): {{message}}"
codes = { "*" = "X_SONST", guard = "X_EINGABE", "guard/not-a-file" = "X_FEHLT" }
messages = { "guard/not-a-file" = "Gibt es nicht." }
numbers = { "*" = 500, guard = 400, "guard/not-a-file" = 404 }

[[tools]]
name = "wo_ist"
input = "position"
output = { shape = "locations", list = "orte", ids = true, snippet = { show = false } }
text = "{{#each orte}}{{@index}}: {{uri}}{{#unless @last}} | {{/unless}}{{/each}}"
empty = "Nirgends."
request = { method = "textDocument/definition", params = "text_document_position" }
[[tools]]
name = "alle_stellen"
input = "position"
output = { shape = "locations", list = "stellen" }
page = true
request = { method = "textDocument/references", params = { base = "text_document_position", set = { context = { includeDeclaration = true } } } }
[[tools]]
name = "umriss"
input = "document"
output = "document_symbols"
request = { method = "textDocument/documentSymbol", params = "text_document" }
[[tools]]
name = "was_ist"
input = ["position", "symbol"]
output = { shape = "hover", marked = true }
request = { method = "textDocument/hover", params = "text_document_position" }
[[tools]]
name = "suche"
input = "query"
output = "workspace_symbols"
text = "{{#each symbols}}{{kind}} {{name}}{{/each}}"
empty = "Nirgends."
retry_empty = { attempts = 3, delay_ms = 150 }
request = { method = "workspace/symbol", params = { set = { query = { from = "input.query" } } } }
[[tools]]
name = "sammel"
input = "workspace"
output = { shape = "batch", list = "ergebnisse", outcomes = "success" }
[[tools.steps]]
id = "alle"
kind = "batch"
options = "wie"
`;

describe("no profile needs code", () => {
  it("has a folder of data only", () => {
    const files = readdirSync(join(repository, "configs"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.[^/]*$/.test(file) && !/\.(toml|json)$/.test(file))).toEqual([]);
  });

  it("takes a sixth profile from a file of its own, with words that no other has", async () => {
    const config = `extends = ["./sechs.toml"]\n${allow('"read"')}[[servers]]\nid = "ts"\nkind = "typescript"\n`;
    const session = await openSession("typescript", config, [], { "sechs.toml": sixth });
    const uri = (file: string) => pathToFileURL(join(session.folder, file)).href;
    /** Lines from 0, characters from 1 and in bytes. */
    const stelle = (file: string, marked: string) => {
      const { line, character } = session.place(file, marked);
      const before = [...(readFileSync(join(session.folder, file), "utf8").split("\n")[line - 1] ?? "")];
      return {
        zeile: line - 1,
        spalte: Buffer.byteLength(before.slice(0, character - 1).join("")) + 1,
      };
    };
    try {
      expect(await listed(session)).toEqual([
        "alle_stellen",
        "sammel",
        "suche",
        "umriss",
        "was_ist",
        "wo_ist",
      ]);
      expect(session.client.getServerVersion()).toMatchObject({ name: "sechs", version: "6.6" });
      expect(session.client.getInstructions()).toBe("Nur lesen.");

      const frage = { datei: uri("src/app.ts"), position: stelle("src/app.ts", "first = |greet(wave)") };
      const found = await session.call("wo_ist", frage);
      const start = { zeile: 1, spalte: 17 };
      const place = { uri: uri("src/greet.ts"), range: { start, end: { zeile: 1, spalte: 22 } } };
      expect(found.content).toEqual([{ type: "text", text: `0: ${place.uri}` }]);
      expect(found.structuredContent).toMatchObject({ gesamt: 1, orte: [place], frage, hinweise: [] });
      for (const name of ["total", "locations", "warnings", "schema_version", "server_id"])
        expect(found.structuredContent).not.toHaveProperty(name);
      expect((found.structuredContent.orte as { kennzeichen: string }[])[0]?.kennzeichen).toMatch(/^sha256:/);

      const first = await session.call("alle_stellen", { ...frage, seite: 4 });
      expect(first.structuredContent).toMatchObject({ gesamt: 7, naechste: expect.any(String) });
      const marke = first.structuredContent.naechste;
      const rest = await session.call("alle_stellen", { ...frage, seite: 9000, marke });
      expect(rest.structuredContent.stellen).toHaveLength(3);
      expect(rest.structuredContent.hinweise).toMatchObject([{ merkmal: "GESTUTZT" }]);

      const umriss = await session.call("umriss", { datei: uri("src/greet.ts") });
      expect(umriss.structuredContent.symbols).toContainEqual(
        expect.objectContaining({
          name: "Polite",
          range: { start: { zeile: 9, spalte: 1 }, end: { zeile: 13, spalte: 2 } },
          namensbereich: { start: { zeile: 9, spalte: 14 }, end: { zeile: 9, spalte: 20 } },
        }),
      );
      const was = await session.call("was_ist", { datei: uri("src/greet.ts"), bezeichner: "greet" });
      expect(was.structuredContent.contents).toEqual([
        { kind: "markdown", value: expect.stringContaining("greet(name: string)") },
      ]);
      expect((await session.call("suche", { begriff: "Polite" })).content[0]?.text).toBe("class Polite");
      expect((await session.call("suche", { begriff: "Nirgendwo" })).content[0]?.text).toBe("Nirgends.");

      const batch = await session.call("sammel", {
        operations: [{ tool: "umriss", args: { datei: uri("src/none.ts") } }],
        wie: { stop_on_error: false },
      });
      expect(batch.structuredContent.ergebnisse).toMatchObject([{ success: false, error: "Gibt es nicht." }]);
    } finally {
      await session.close();
    }
  });

  it("has refusals in its own words, numbers and names", async () => {
    const config = `extends = ["./sechs.toml"]\n${allow('"read"')}[[servers]]\nid = "ts"\nkind = "typescript"\n`;
    const session = await openSession("typescript", config, [], { "sechs.toml": sixth });
    try {
      const datei = pathToFileURL(join(session.folder, "src/none.ts")).href;
      const refused = await session.call("umriss", { datei });
      expect(refused.isError).toBe(true);
      expect(refused.content[0]?.text).toBe("Geht nicht (404, X_FEHLT): Gibt es nicht.");
      expect(refused.structuredContent).toMatchObject({
        error: { merkmal: "X_FEHLT", message: "Gibt es nicht." },
        grund: "Gibt es nicht.",
        nummer: 404,
        frage: { datei },
      });
      const wrong = await session.call("umriss", { file_path: "src/app.ts" });
      expect(wrong.structuredContent).toMatchObject({ error: { merkmal: "X_EINGABE" }, nummer: 400 });
      const path = await session.call("umriss", { datei: "src/app.ts" });
      expect(path.structuredContent).toMatchObject({ error: { merkmal: "X_EINGABE" }, nummer: 400 });
      await expect(session.call("find_definition", {})).rejects.toThrow(/no tool/i);
    } finally {
      await session.close();
    }
  });
});
