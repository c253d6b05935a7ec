/** The profile `pathfinder` with a real server. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openSession } from "../session.js";
import { allow, listed, typescript } from "./support.js";

describe("pathfinder", () => {
  it("answers with a JSON list of uri and range, from zero", async () => {
    const session = await openSession("typescript", typescript("pathfinder", allow('"read"')));
    try {
      expect(await listed(session)).toEqual(["definition"]);
      const uri = (file: string) => pathToFileURL(join(session.folder, file)).href;
      const { line } = session.place("src/app.ts", "first = |greet(wave)");
      // In UTF-16 units: the waving hand is four of them, the grinning face two.
      const text = `const wave = "👋🏽 漢字 e\\u0301"; /* 😀é */ export const first = `;
      const found = await session.call("definition", {
        uri: uri("src/app.ts"),
        line: line - 1,
        character: text.length,
      });
      expect(JSON.parse(found.content[0]?.text ?? "")).toEqual([
        {
          uri: uri("src/greet.ts"),
          range: { start: { line: 1, character: 16 }, end: { line: 1, character: 21 } },
        },
      ]);
      const nothing = await session.call("definition", { uri: uri("src/greet.ts"), line: 4, character: 0 });
      expect(JSON.parse(nothing.content[0]?.text ?? "")).toEqual([]);
    } finally {
      await session.close();
    }
  });
});
