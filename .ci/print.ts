/** Part of the build (`npm run print`): writes the generated docs, schema and index. `--check` only compares them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codes } from "../src/base/codes.js";
import { canonicalPretty, type JsonObject } from "../src/base/json.js";
import { shippedConfigs, shippedTemplates } from "../src/cli/shipped.js";
import { Catalogue } from "../src/config/catalogue/catalogue.js";
import { readClients } from "../src/config/catalogue/clients.js";
import { INDEX_FILE, indexText, presetFacts } from "../src/config/catalogue/preset-index.js";
import { diskFiles } from "../src/config/files.js";
import { loadConfig } from "../src/config/load.js";
import type { PresetConfig } from "../src/config/schema.js";
import { configJsonSchema } from "../src/config/schema.js";
import { readTemplates } from "../src/emit/render.js";
import { buildPlan } from "../src/plan/build.js";
import { cliDocs } from "./print/cli-page.js";
import { clientsView } from "./print/clients-view.js";
import { annotatedSchema } from "./print/config-keys.js";
import { configDocs } from "./print/config-page.js";
import { clientsDocs, languagesDocs, problemsDocs, toolsDocs } from "./print/docs.js";
import { readKeyTexts, readMessages } from "./print/key-texts.js";
import { languagesView } from "./print/languages-view.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Every generated file with its text. */
async function generated(): Promise<{ [path: string]: string }> {
  const templates = readTemplates(shippedTemplates);
  const { tools, dialect } = planOf("full");
  const usual = planOf("default").tools.map(({ name }) => name);
  const texts = readKeyTexts(join(root, ".ci", "print"));
  const clients = readClients(shippedConfigs, diskFiles);
  return {
    [`configs/${INDEX_FILE}`]: indexText(presets()),
    "configs/schema.json": canonicalPretty(annotatedSchema(configJsonSchema(), texts)),
    "docs/cli.md": await cliDocs(templates),
    "docs/clients.md": clientsDocs(
      clientsView(clients, planOf("default"), planOf("default", allEffects), templates),
      templates,
    ),
    "docs/config.md": configDocs(configJsonSchema(), texts, templates),
    "docs/languages.md": languagesDocs(languagesView(presets().map(presetFacts), matrix()), templates),
    "docs/problems.md": problemsDocs(codes, readMessages(join(root, ".ci", "print")), templates),
    "docs/tools.md": toolsDocs(tools, dialect, usual, templates),
  };
}

/** The results of the last matrix run, by server. */
function matrix(): JsonObject {
  return JSON.parse(current("test/matrix/results.json") ?? "{}") as JsonObject;
}

function presets(): PresetConfig[] {
  return new Catalogue(shippedConfigs, diskFiles).presets().map(({ config }) => config);
}

/** An entry for every project names also the tools that only some projects allow. */
const allEffects = { allow: { effects: ["read", "edit", "command"] } };

/** The plan of a shipped profile, independent of this machine. */
function planOf(profile: string, commandLine: JsonObject = {}) {
  const loaded = loadConfig(
    {
      workspace: root,
      configPath: join(shippedConfigs, "profiles", `${profile}.toml`),
      env: {},
      home: root,
      shipped: shippedConfigs,
      commandLine,
    },
    diskFiles,
  );
  return buildPlan(loaded.config, loaded).plan;
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

const stale = Object.entries(await generated()).filter(([path, text]) => current(path) !== text);
if (process.argv.includes("--check")) {
  for (const [path] of stale) process.stderr.write(`${path} is stale: run \`npm run print\`\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) {
    writeFileSync(join(root, path), text);
    process.stdout.write(`${path}\n`);
  }
}
