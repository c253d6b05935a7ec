/** Configs for tests, parsed and checked by the schema alone, with the shipped tools laid under them on demand. */
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import type { Plan } from "../../src/abi/plan.js";
import type { Problem } from "../../src/base/problem.js";
import { type Config, configSchema } from "../../src/config/schema.js";
import { buildPlan, type PlanContext } from "../../src/plan/build.js";

const configs = new URL("../../configs/", import.meta.url);

/** A config from TOML. */
export function configOf(toml: string): Config {
  return configSchema.parse(parse(toml));
}

/** The eleven tools of `configs/tools/core.toml`. */
export function coreTools(): NonNullable<Config["tools"]> {
  const names = configOf(readFileSync(new URL("tools/core.toml", configs), "utf8")).extends ?? [];
  return names.flatMap((name) => configOf(readFileSync(new URL(`${name}.toml`, configs), "utf8")).tools ?? []);
}

export const context: PlanContext = {
  locate: () => undefined,
  origin: () => "config",
  catalogueCommands: ["rust-analyzer", "pyright-langserver", "typescript-language-server"],
  toolProfiles: (name) => (name === "rename_symbol" ? ["full"] : []),
};

/** The plan of a config and what is wrong with it. */
export function planOf(config: Config | string): { plan: Plan; problems: Problem[] } {
  return buildPlan(typeof config === "string" ? configOf(config) : config, context);
}
