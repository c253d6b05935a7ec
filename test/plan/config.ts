/** Configs for tests: a bare one, checked by the schema alone, or one that went through every layer. */
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import type { Plan } from "../../src/abi/plan.js";
import { ConfigError, type Problem } from "../../src/base/problem.js";
import { diskFiles, type Files } from "../../src/config/files.js";
import { type LoadedConfig, loadConfig } from "../../src/config/load.js";
import { type Config, configSchema } from "../../src/config/schema.js";
import { buildPlan, type PlanContext } from "../../src/plan/build.js";

const shipped = fileURLToPath(new URL("../../configs/", import.meta.url));

/** A config from TOML, without any layer below it. */
export function configOf(toml: string): Config {
  return configSchema.parse(parse(toml));
}

export const context: PlanContext = {
  locate: () => undefined,
  origin: () => "config",
  catalogueCommands: ["rust-analyzer", "pyright-langserver", "typescript-language-server"],
  toolProfiles: (name) => (name === "rename_symbol" ? ["full"] : []),
  isSealed: () => false,
  presetId: () => undefined,
  clientForms: [],
};

/** Warnings about tools that are fine but odd. The bare tools of most tests are, so only `findings.test.ts` sees these. */
const findings = ["cap-above-limit", "unused-argument", "lost-value", "no-description", "literal-template"];

/** The plan of a bare config and what is wrong with it. */
export function planOf(config: Config | string): { plan: Plan; problems: Problem[] } {
  const { plan, problems } = buildPlan(typeof config === "string" ? configOf(config) : config, context);
  return { plan, problems: problems.filter(({ code }) => !findings.includes(code.replace("plan/", ""))) };
}

/** A config file that exists in memory only, loaded over the shipped layers. */
export function loadText(text: string, format: "toml" | "json" = "toml", folder = "/project"): LoadedConfig {
  const file = `${folder}/lspi.${format}`;
  const files: Files = {
    ...diskFiles,
    read: (path) => (path === file ? text : path.startsWith(shipped) ? diskFiles.read(path) : undefined),
    realpath: (path) => (path.startsWith(folder) ? path : diskFiles.realpath(path)),
  };
  return loadConfig(
    { workspace: folder, configPath: file, env: {}, home: "/home/nobody", shipped, commandLine: {} },
    files,
  );
}

/** The plan of such a file; throws when it has errors. */
export function planText(text: string, format: "toml" | "json" = "toml", folder?: string): Plan {
  const loaded = loadText(text, format, folder);
  const { plan, problems } = buildPlan(loaded.config, loaded);
  if (problems.some((problem) => problem.severity === "error")) throw new ConfigError(problems);
  return plan;
}
