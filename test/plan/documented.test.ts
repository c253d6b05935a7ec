/** Every example of docs/mapping-language.md is a config: it is read and planned, with its texts, without problems. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { textProblems } from "../../src/emit/texts.js";
import { buildPlan } from "../../src/plan/build.js";
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
