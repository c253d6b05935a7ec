/** The decision records: few, short, alike, and all of them in their index under their own titles. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../live/session.js";

const folder = join(repository, "docs", "decisions");
const records = readdirSync(folder)
  .filter((name) => name !== "README.md")
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

describe("the decision records", () => {
  it("are in the index once, under their titles", () => {
    const index = readFileSync(join(folder, "README.md"), "utf8");
    const listed = [...index.matchAll(/^- \[(\d+)\]\(([^)]+)\) (.+)$/gm)].map(
      ([, number, name, title]) => `${name}: ${Number(number)}. ${title}`,
    );
    const titles = records.map(({ name, text }) => `${name}: ${/^# (.+)$/m.exec(text)?.[1]}`);
    expect(listed.toSorted()).toEqual(titles.toSorted());
    expect(records.length).toBeLessThanOrEqual(40);
  });

  it.each(records)("$name has its number, three parts and at most 150 words", ({ name, text }) => {
    expect(text).toMatch(new RegExp(`^# ${Number(name.slice(0, 3))}\\. `));
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)).toEqual([
      "Context",
      "Decision",
      "Consequence",
    ]);
    const words = text.replaceAll(/^#.*$/gm, "").match(/\S*\w\S*/g) ?? [];
    expect(words.length).toBeLessThanOrEqual(150);
  });
});
