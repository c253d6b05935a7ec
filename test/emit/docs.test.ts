import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ConfigKey, configKeys, isTableKey } from "../../.ci/print/config-keys.js";
import { configDocs } from "../../.ci/print/config-page.js";
import { problemsDocs, toolsDocs } from "../../.ci/print/docs.js";
import { readKeyTexts, readMessages } from "../../.ci/print/key-texts.js";
import { codes } from "../../src/base/codes.js";

import { configJsonSchema } from "../../src/config/schema.js";

import { planText } from "../plan/config.js";
import { templates } from "./support.js";

const printFolder = fileURLToPath(new URL("../../.ci/print/", import.meta.url));

describe("printed docs", () => {
  it("have every code once, with its cause and its fix", () => {
    const text = problemsDocs(codes, readMessages(printFolder), templates);
    for (const [code, facts] of Object.entries(codes)) {
      expect(text.split(`### \`${code}\`\n`)).toHaveLength(2);
      expect(text.replaceAll("\\", "")).toContain(facts.fix.replaceAll("\\", ""));
    }
  });

  it("have every key of the config once in its table, with a default and an example", () => {
    const texts = readKeyTexts(printFolder);
    const text = configDocs(configJsonSchema(), texts, templates);
    const rows = text.split("\n").filter((line) => line.startsWith("| `"));
    const isRow = ({ path, schemas }: ConfigKey) => path.includes(".") || !isTableKey(schemas[0]);
    expect(rows).toHaveLength(configKeys(configJsonSchema()).filter(isRow).length);
    for (const line of rows) {
      expect(line.split(/(?<!\\)\|/), line).toHaveLength(4);
      expect(line).toMatch(/^\| `\S+` \| \S.*<br>Type: \S.* · Default: \S.*<br>Example: `.* = .*`+ \|$/);
    }
    for (const heading of ["## `[workspace]`", "### `[[tools.steps.where]]`", "### `[tools.args.NAME]`"])
      expect(text).toContain(`\n${heading}\n`);
    expect(text).toContain("| `position.line_base` |");
    expect(text).toContain("Order does not matter.");
    expect(text).not.toContain("undefined");
  });

  it("have every tool of a plan", () => {
    const plan = planText('[[servers]]\nid = "pyright"\nkind = "pyright"');
    const text = toolsDocs(plan.tools, plan.dialect, [], templates);
    for (const tool of plan.tools) expect(text).toContain(`\n### ${tool.name}\n`);
  });
});
