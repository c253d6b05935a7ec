/**
 * Tiny configs with one mistake each (or the few that belong together), and beside each the report that a person
 * reads. A new fixture needs only its `.toml` or `.json`; the report is written on the first run and then held.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ConfigError, type Problem } from "../../src/base/problem.js";
import { renderText } from "../../src/cli/terminal/output.js";
import { problemsJson, renderProblems } from "../../src/cli/terminal/report.js";
import { loadConfig } from "../../src/config/load.js";
import { buildPlan } from "../../src/plan/build.js";
import { overShipped, request, SHIPPED } from "../config/memory-files.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const fixtures = readdirSync(here).filter((name) => /\.(toml|json)$/.test(name));

/** Every problem of a config, from reading to planning. */
function problemsOf(file: string, content: Uint8Array): Problem[] {
  try {
    const files = overShipped({ [file]: content });
    const loaded = loadConfig(request({ shipped: SHIPPED, configPath: file }), files);
    return [...loaded.warnings, ...buildPlan(loaded.config, loaded).problems];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe("invalid configs", () => {
  test("there are enough of them", () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(25);
  });

  test.each(fixtures)("%s", async (name) => {
    const content = readFileSync(new URL(name, import.meta.url));
    const file = `/w/${name}`;
    const problems = problemsOf(file, content);
    expect(problems.length).toBeGreaterThan(0);
    const sources = (path: string) => (path === file ? new TextDecoder().decode(content) : undefined);
    const report = renderText(renderProblems(problems, { sources, base: "/w" }), false);
    expect(report).not.toContain(SHIPPED);
    await expect(report).toMatchFileSnapshot(`${name}.txt`);
    expect(problemsJson(problems)).toMatchObject({
      problems: problems.map(({ code, message }) => ({ code, message })),
    });
  });
});
