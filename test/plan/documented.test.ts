/** docs/mapping-language.md names everything that the language has. `test/docs/blocks.test.ts` validates its examples. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stepSchema } from "../../src/config/schema/tool.js";
import { actions } from "../../src/protocol/actions.js";
import { shapes } from "../../src/protocol/shapes.js";

const page = readFileSync(new URL("../../docs/mapping-language.md", import.meta.url), "utf8");

describe("the page", () => {
  const code = [...page.matchAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm)].map(([text]) => text).join("\n");
  const isNamed = (word: string) => new RegExp(`(?<!\\w)${word}(?!\\w)`).test(code);

  it("has every key of tools, methods, prompts and resources", () => {
    const sections = readFileSync(new URL("../../docs/config.md", import.meta.url), "utf8").split(/^## /m);
    const keys = ["tools", "methods", "prompts", "resources"].flatMap((name) => {
      const section = sections.find((text) => text.startsWith(`\`[[${name}]]\``)) ?? "";
      const rows = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key = ""]) => key);
      expect(rows.length, name).toBeGreaterThan(3);
      return rows.flatMap((row) => row.replaceAll("[]", "").split("."));
    });
    expect([...new Set(keys)].filter((key) => !isNamed(key))).toEqual([]);
  });

  it("has every shape, action and kind of step", () => {
    const names = [
      ...Object.keys(shapes),
      ...Object.keys(actions),
      ...stepSchema.shape.kind.unwrap().options,
    ];
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });
});
