/**
 * Builds the program into `dist/cli`: bundled, packed into few files by what is loaded together, the shipped schemas
 * compiled, and the code that this Node compiled kept. Every file lands in one folder, so that a path relative to a
 * module means the same in `src/cli` and in `dist/cli`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { assign, openImports, packText } from "./packs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist", "cli");

/** What is run by name; each becomes a file that starts the loader. */
const programs = ["bin", "print", "precompile"];

/** What is loaded together. What several of them reach is in the first; all others are files of their own. */
const packs = {
  "serve.cjs": ["src/cli/bin.ts", "src/cli/quick.ts", "src/cli/commands/serve.ts", "src/mcp/stdio.ts"],
  "compile.cjs": ["src/cli/compile.ts"],
  "http.cjs": ["src/cli/gateway.ts"],
};

/** Both MCP SDKs import Ajv for a feature that a tools server does not use; the runtime must not carry it. */
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

/** Handlebars makes maps of its compiled templates where it finds this package, and nobody looks at one. */
const withoutSourceMaps = {
  name: "without-source-maps",
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]source-map[\\/]source-map\.js$/ }, () => ({
      contents: "throw new Error('no source maps');",
    }));
  },
};

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(["main", ...programs].map((name) => [name, `src/cli/${name}.ts`])),
  outdir: "dist/cli",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // jsonc-parser's main file hides its requires from a bundler; its module file does not.
  mainFields: ["module", "main"],
  legalComments: "linked",
  // Comments may hold any character and any code, and the loader's files hold neither.
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [withoutAjvInTheSdk, withoutSourceMaps],
  metafile: true,
  write: false,
  logLevel: "warning",
});

rmSync(join(root, "dist"), { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "package.json"), '{ "type": "commonjs" }\n');
const packOf = assign(metafile.outputs, packs);
const modules = new Map();
let open = 0;
for (const { path, text } of outputFiles) {
  const name = basename(path);
  if (packOf[name] === undefined) {
    writeFileSync(path, text);
    continue;
  }
  open += openImports(text, packOf);
  const file = packOf[name];
  modules.set(file, [...(modules.get(file) ?? []), { name, text }]);
}
// The modules of a bundle, imported from their verified bytes. Another one may be a text that only looks like an import.
if (open !== 1) throw new Error(`the build has ${open} imports whose target is only known at run time`);
for (const [file, parts] of modules) writeFileSync(join(out, file), await packText(parts));
writeFileSync(
  join(out, "loader.cjs"),
  readFileSync(new URL("loader.cjs", import.meta.url), "utf8").replace(
    "const packOf = {};",
    `const packOf = ${JSON.stringify(packOf)};`,
  ),
);
copyFileSync(new URL("cache.cjs", import.meta.url), join(out, "cache.cjs"));
for (const name of programs) {
  writeFileSync(
    join(out, `${name}.js`),
    `#!/usr/bin/env node\nrequire("./loader.cjs").load("${name}.js");\n`,
  );
  chmodSync(join(out, `${name}.js`), 0o755);
}
// The build keeps by itself what Node compiles, and leaves nothing among what its user's programs keep.
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
for (const script of [join(out, "precompile.js"), join(root, ".ci", "keep-code.cjs")])
  execFileSync(process.execPath, [script], { stdio: "inherit", env });
