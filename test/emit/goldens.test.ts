import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/abi/plan.js";
import { checkBundle } from "../../src/emit/check.js";
import { writeBundle } from "../../src/emit/write.js";
import { planText } from "../plan/config.js";
import { hostilePlan } from "./hostile.js";
import { bundleOf } from "./support.js";

const golden = (path: string) => fileURLToPath(new URL(`../golden/${path}`, import.meta.url));
const planFile = (name: string) => planText(readFileSync(golden(`${name}/config.toml`), "utf8"));

/** Whole bundles as they are written; `UPDATE_GOLDEN=1` writes them anew. */
describe("golden bundles", () => {
  it.each<[string, () => Plan]>([
    ["default", () => planFile("default")],
    ["custom", () => planFile("custom")],
    ["values", () => planFile("values")],
    ["hostile", hostilePlan],
  ])("%s", (name, plan) => {
    const bundle = bundleOf(plan());
    const folder = golden(`${name}/bundle`);
    if (process.env.UPDATE_GOLDEN) writeBundle(bundle, folder);
    expect(checkBundle(bundle, folder).map((problem) => problem.message)).toEqual([]);
  });
});
