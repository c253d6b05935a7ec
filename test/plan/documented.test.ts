/** Every example of docs/mapping-language.md is a config: it is read and planned, with its texts, without problems. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stepSchema } from "../../src/config/schema/tool.js";
import { textProblems } from "../../src/emit/texts.js";
import { buildPlan } from "../../src/plan/build.js";
import { actions } from "../../src/protocol/actions.js";
import { shapes } from "../../src/protocol/shapes.js";
import { templates } from "../emit/support.js";
import { loadText } from "./config.js";

const page = readFileSync(new URL("../../docs/mapping-language.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

const around = `extends = ["profiles/full"]
[allow]
effects = ["read", "edit", "command"]
[[servers]]
id = "rust-analyzer"
kind = "rust-analyzer"
`;

describe("the examples of the mapping language", () => {
  it("are many", () => {
    expect(examples.length).toBeGreaterThanOrEqual(27);
  });

  it.each(examples.map((text) => [/name = "(.*)"/.exec(text)?.[1] ?? text.split("\n")[0], text]))(
    "%s",
    (_name, text = "") => {
      const loaded = loadText(around + text);
      const { plan, problems } = buildPlan(loaded.config, loaded);
      expect(
        [...problems, ...textProblems(plan, plan.tools, templates)].map(({ message }) => message),
      ).toEqual([]);
    },
  );
});

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
