/** Part of the build: compiles the validators of all shipped tools in all shipped profiles into `dist/validators`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Catalogue } from "../config/catalogue/catalogue.js";
import { diskFiles } from "../config/files.js";
import { loadConfig } from "../config/load.js";
import { ajvCompiler } from "../emit/ajv-compiler.js";
import { compiledSchemas } from "../emit/bundle.js";
import { codeFile } from "../emit/shipped-validators.js";
import { buildPlan } from "../plan/build.js";
import { shippedConfigs, shippedValidators } from "./shipped.js";

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
