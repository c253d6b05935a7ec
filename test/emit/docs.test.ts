import { describe, expect, it } from "vitest";
import { configDocs, problemsDocs, toolsDocs } from "../../.ci/print/docs.js";
import { codes } from "../../src/base/codes.js";

import { configJsonSchema } from "../../src/config/schema.js";

import { planText } from "../plan/config.js";
import { templates } from "./support.js";

describe("printed docs", () => {
  it("have every code once, with its cause and its fix", () => {
    const text = problemsDocs(codes, templates);
    for (const [code, facts] of Object.entries(codes)) {
      expect(text.split(`### \`${code}\`\n`)).toHaveLength(2);
      expect(text.replaceAll("\\", "")).toContain(facts.fix.replaceAll("\\", ""));
    }
  });

  it("have every key of the config, nested ones too", () => {
    const text = configDocs(configJsonSchema(), templates);
    for (const key of [
      "version",
      "roots",
      "command",
      "restart.backoff_ms",
      "forward[].to",
      "steps[].each.limit",
      "args.NAME.min_length",
      "position.line_base",
      "tools.allow",
      "request.params.base",
    ])
      expect(text).toContain(`\`${key}\``);
    for (const heading of ["## `[workspace]`", "## `[[servers]]`", "## `[[tools]]`", "## `[http]`"])
      expect(text).toContain(heading);
    for (const line of text.split("\n").filter((candidate) => candidate.startsWith("| `")))
      expect(line.split(/(?<!\\)\|/), line).toHaveLength(6);
    expect(text).toContain("Order does not matter.");
    expect(text).not.toContain("undefined");
  });

  it("have every tool of a plan", () => {
    const plan = planText('[[servers]]\nid = "pyright"\nkind = "pyright"');
    const text = toolsDocs(plan.tools, plan.dialect, templates);
    for (const tool of plan.tools) expect(text).toContain(`## ${tool.name}\n`);
  });
});
