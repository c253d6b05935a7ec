/**
 * Bundles the program into `dist/cli`, one chunk per stage that is loaded on its own. Every file lands in one folder,
 * so that a path relative to a module means the same in `src/cli` and in `dist/cli`.
 */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

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

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { bin: "src/cli/bin.ts", print: "src/cli/print.ts", precompile: "src/cli/precompile.ts" },
  outdir: "dist/cli",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // jsonc-parser's main file hides its requires from a bundler; its module file does not.
  mainFields: ["module", "main"],
  legalComments: "linked",
  plugins: [withoutAjvInTheSdk],
  // Packages in CommonJS call `require` for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
await import("../dist/cli/precompile.js");
