/** Part of the build: compiles the validators of all shipped tools in all shipped profiles into `dist/validators`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedConfigs, shippedValidators } from "../src/cli/shipped.js";
import { Catalogue } from "../src/config/catalogue/catalogue.js";
import { diskFiles } from "../src/config/files.js";
import { loadConfig } from "../src/config/load.js";
import { ajvCompiler } from "../src/emit/ajv-compiler.js";
import { compiledSchemas } from "../src/emit/bundle.js";
import { codeFile } from "../src/emit/shipped-validators.js";
import { buildPlan } from "../src/plan/build.js";

/** The allowed effects decide which tools are listed, and so compiled. */
const surfaces = [["read"], ["read", "edit"], ["read", "edit", "command"]].flatMap((effects) =>
  new Catalogue(shippedConfigs, diskFiles)
    .profiles()
    .map((context) => ({ mcp: { context }, allow: { effects } })),
);

const compiler = ajvCompiler();
mkdirSync(shippedValidators, { recursive: true });
for (const commandLine of surfaces) {
  const loaded = loadConfig(
    {
      workspace: shippedConfigs,
      env: {},
      home: shippedConfigs,
      shipped: shippedConfigs,
      commandLine,
      alone: true,
    },
    diskFiles,
  );
  for (const schema of compiledSchemas(buildPlan(loaded.config, loaded).plan))
    writeFileSync(join(shippedValidators, codeFile(schema)), compiler.code(schema));
}
