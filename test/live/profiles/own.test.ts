/** Profiles are data: the folder holds nothing else, and a config can be a profile of its own. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession, repository } from "../session.js";
import { allow, listed } from "./support.js";

describe("no profile needs code", () => {
  it("has a folder of data only", () => {
    const files = readdirSync(join(repository, "configs"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.[^/]*$/.test(file) && !/\.(toml|json)$/.test(file))).toEqual([]);
  });

  it("takes a sixth profile from a config alone", async () => {
    const sixth = `${allow('"read"')}
[mcp]
context = "pathfinder"
name = "sixth"
[mcp.tools]
allow = ["wo_ist"]
[dialect]
document = { field = "datei", form = "path" }
position = { line = "zeile", character = "spalte", line_base = 1, character_base = 1, unit = "utf-32", answers = "flat" }
listing = { most = "" }
members = { locations = "orte", path = "datei", text = "zeilentext" }
result = "both"
[dialect.errors]
text = "Geht nicht: {{message}}"
[[tools]]
name = "wo_ist"
input = "position"
output = { shape = "locations", list = "orte" }
text = "{{#each orte}}{{@index}}: {{path}}, Zeile {{zeile}}{{#unless @last}} | {{/unless}}{{/each}}"
empty = "Nirgends."
request = { method = "textDocument/definition", params = "text_document_position" }
[[servers]]
id = "ts"
kind = "typescript"
`;
    const session = await openSession("typescript", sixth);
    try {
      expect(await listed(session)).toEqual(["wo_ist"]);
      const { line, character } = session.place("src/app.ts", "first = |greet(wave)");
      const found = await session.call("wo_ist", { datei: "src/app.ts", zeile: line, spalte: character });
      expect(found.content).toEqual([{ type: "text", text: "0: src/greet.ts, Zeile 2" }]);
      expect(found.structuredContent.orte).toMatchObject([{ datei: "src/greet.ts", zeile: 2 }]);
      const nothing = await session.call("wo_ist", { datei: "src/greet.ts", zeile: 5, spalte: 1 });
      expect(nothing.content[0]?.text).toBe("Nirgends.");
      const refused = await session.call("wo_ist", { datei: "src/none.ts", zeile: 1, spalte: 1 });
      expect(refused.isError).toBe(true);
      expect(refused.content[0]?.text).toMatch(/^Geht nicht: /);
    } finally {
      await session.close();
    }
  });
});
