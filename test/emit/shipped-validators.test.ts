import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/abi/plan.js";
import { diskFiles } from "../../src/config/files.js";
import { loadConfig } from "../../src/config/load.js";
import { compiledSchemas, emitBundle } from "../../src/emit/bundle.js";
import { shippedCode, shippedCompiler } from "../../src/emit/shipped-validators.js";
import { buildPlan } from "../../src/plan/build.js";
import { bundleOf, compiler, templates } from "./support.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const find = shippedCode(join(root, "dist", "validators"));
const profiles = readdirSync(join(root, "configs", "profiles")).map((file) => file.replace(".toml", ""));

function planOf(context: string, effects: string[], more: object = {}): Plan {
  const commandLine = { mcp: { context }, allow: { effects }, ...more };
  const shipped = join(root, "configs");
  const loaded = loadConfig(
    { workspace: root, env: {}, home: "/nowhere", shipped, commandLine, alone: true },
    diskFiles,
  );
  return buildPlan(loaded.config, loaded).plan;
}

describe("the code of shipped schemas", () => {
  it.each(profiles)("is there for %s, whatever is allowed", (profile) => {
    for (const effects of [["read"], ["read", "edit"], ["read", "edit", "command"]]) {
      const lacking = [...compiledSchemas(planOf(profile, effects))].filter(
        (schema) => find(schema) === undefined,
      );
      expect(lacking).toEqual([]);
    }
  });

  it("is what the compiler makes of them", () => {
    const plan = planOf("full", ["read", "edit"]);
    const generator = "lsp-proxy test";
    const shipped = emitBundle(plan, { templates, compiler: shippedCompiler(find), generator });
    expect(shipped.manifest).toEqual(bundleOf(plan).manifest);
  });

  it("is not there for a tool that was changed", () => {
    const args = { include_declaration: { type: "boolean", default: true, description: "x" } };
    const plan = planOf("default", ["read"], { tools: [{ name: "get_hover", args }] });
    const lacking = [...compiledSchemas(plan)].filter((schema) => find(schema) === undefined);
    expect(lacking).toHaveLength(1);
    expect(() => shippedCompiler(find).code(lacking[0] ?? {})).toThrow("not a shipped one");
    expect(compiler.code(lacking[0] ?? {})).toContain("export default");
  });
});
