/**
 * Builds the program: bundles `src/cli` and the build tools into `dist/cli` and the page of the dashboard into
 * `dist/dashboard` with esbuild, and compiles the schemas of the shipped tools into `dist/validators`. The licences of everything bundled go to `dist/THIRD_PARTY_NOTICES.txt`.
 * Paths relative to `import.meta.url` work in `dist/cli` as in `src/cli`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);\n';

/** Both MCP SDKs import Ajv for client features that a tools server does not use. */
const withoutAjvInTheSdk = {
  name: "without-ajv-in-the-sdk",
  setup({ onLoad }) {
    const validator =
      "class AjvJsonSchemaValidator { getValidator() { throw new Error('no schema validator'); } }";
    onLoad({ filter: /modelcontextprotocol[\\/]sdk[\\/].*ajv-provider\.js$/ }, () => ({
      contents: `export ${validator}`,
    }));
    onLoad({ filter: /modelcontextprotocol[\\/]server[\\/].*shimsNode\.mjs$/ }, () => ({
      contents: `import process from "node:process"; export ${validator}; export { AjvJsonSchemaValidator as DefaultJsonSchemaValidator, process };`,
    }));
  },
};

/** Handlebars uses this package only for source maps of templates, and works without it. */
const withoutSourceMaps = {
  name: "without-source-maps",
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]source-map[\\/]source-map\.js$/ }, () => ({
      contents: "throw new Error('no source maps');",
    }));
  },
};

rmSync(join(root, "dist"), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { bin: "src/cli/bin.ts", print: ".ci/print.ts", precompile: ".ci/precompile.ts" },
  outdir: "dist/cli",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  metafile: true,
  // The output does not depend on where the packages are.
  preserveSymlinks: true,
  // The main file of jsonc-parser hides its `require` calls from bundlers; its module file does not.
  mainFields: ["module", "main"],
  legalComments: "linked",
  plugins: [withoutAjvInTheSdk, withoutSourceMaps],
  logLevel: "warning",
});
for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith(".js"))) {
  const text = readFileSync(join(root, file), "utf8");
  // CommonJS packages call `require` for Node's own modules, which an ES module does not have. One file has it for all.
  const own = text.includes("typeof require") ? REQUIRE : "";
  // One character beyond ASCII, left in a comment, doubles what V8 keeps of a file's text.
  writeFileSync(join(root, file), `${own}${text}`.replace(/[^\0-\x7f]/g, escaped));
}
chmodSync(join(root, "dist/cli/bin.js"), 0o755);
const page = await buildPage();
const outputs = { ...metafile.outputs, ...page.outputs };
writeFileSync(join(root, "dist/THIRD_PARTY_NOTICES.txt"), notices(bundledPackages({ outputs })));
execFileSync(process.execPath, [join(root, "dist/cli/precompile.js")], { stdio: "inherit" });

/** The page of the dashboard: static files, small, with nothing inline. */
async function buildPage() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/dashboard/page/main.tsx", out: "page" },
      { in: "src/dashboard/page/style/page.css", out: "page" },
    ],
    outdir: "dist/dashboard",
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    preserveSymlinks: true,
    legalComments: "none",
    logLevel: "warning",
  });
  for (const name of ["index.html", "icon.svg"])
    copyFileSync(join(root, "src/dashboard/page", name), join(root, "dist/dashboard", name));
  return metafile;
}

/** A UTF-16 code unit as an escape, which means the same in strings, patterns and names. */
function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The folders of the packages of which some code is in the output, sorted. */
function bundledPackages({ outputs }) {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  return [...new Set(folders)].sort();
}

/** Name, version and licence texts of each package. Throws when a package has none. */
function notices(folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const files = readdirSync(join(root, folder))
      .filter((file) => /^(?:licen[cs]e|copying|notice|third[-_]?party[-_]?notices?)(?:[.-].*)?$/i.test(file))
      .sort();
    if (files.length === 0) throw new Error(`${folder} is bundled and has no licence text`);
    const texts = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
    return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
  });
  const head = "lsp-proxy contains code of these packages, under their own licences.\n";
  return [head, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}
