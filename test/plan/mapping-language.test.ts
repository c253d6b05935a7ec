/** The examples of arguments in `docs/mapping-language.md`: each complete one is a config without problems. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { planOf } from "./config.js";

const page = readFileSync(new URL("../../docs/mapping-language.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("\n## Arguments"), page.indexOf("\n## Lists"));
const examples = [...section.matchAll(/^```toml\n([\s\S]*?)^```/gm)].map(([, toml = ""]) => toml);

describe("the examples of arguments", () => {
  it("are there", () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)("%s", (toml) => {
    const { plan, problems } = planOf(`[allow]\neffects = ["read", "edit", "command"]\n${toml}`);
    expect(problems).toEqual([]);
    expect(plan.tools.length).toBeGreaterThan(0);
  });

  it.each(examples.filter((toml) => toml.includes('type = "path"')))(
    "are refused with texts for places: %s",
    (toml) => {
      const { problems } = planOf(
        `[allow]\neffects = ["read", "edit", "command"]\n${toml.replaceAll(/type = "path"(?:, exists = false|, target = true)?/g, 'type = "string"').replaceAll(".absolute_path", "")}`,
      );
      expect(problems.map(({ code }) => code)).toContain("plan/unchecked-uri");
    },
  );
});

it("every type of argument is in the table", () => {
  const types = /"type":\s*\{[^}]*"enum":\s*\[([^\]]*)\]/.exec(
    readFileSync(new URL("../../configs/schema.json", import.meta.url), "utf8").split('"part": {')[1] ?? "",
  )?.[1];
  const names = [...(types ?? "").matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(section).toContain(`\`${name}\``);
});
