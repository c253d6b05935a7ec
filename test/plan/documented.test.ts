/** The tools that docs/mapping-language.md shows are read and planned: each whole example must have no problems. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildPlan } from "../../src/plan/build.js";
import { loadText } from "./config.js";

const page = readFileSync(new URL("../../docs/mapping-language.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
/** Examples that are a part of a tool begin otherwise. */
const whole = blocks.filter((text) => /^\[\[(?:tools|methods)\]\]/.test(text));

const around = `extends = ["profiles/full"]
[allow]
effects = ["read", "edit", "command"]
[[servers]]
id = "rust-analyzer"
kind = "rust-analyzer"
`;

describe("the examples of the mapping language", () => {
  it("are many", () => {
    expect(whole.length).toBeGreaterThanOrEqual(12);
  });

  it.each(whole.map((text) => [/name = "(.*)"/.exec(text)?.[1], text]))("%s", (_name, text = "") => {
    const loaded = loadText(around + text);
    const { problems } = buildPlan(loaded.config, loaded);
    expect(problems.map(({ message }) => message)).toEqual([]);
  });
});
