/** Where the package's own files stand, and what its version is. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** Absolute folder of the shipped configs. */
export const shippedConfigs = fileURLToPath(new URL("configs/", root));
/** Absolute folder of the shipped templates. */
export const shippedTemplates = fileURLToPath(new URL("templates/", root));
/** Absolute folder of the validators that were compiled with the program. */
export const shippedValidators = fileURLToPath(new URL("dist/validators/", root));
/** Absolute path of the executable. */
export const executable = fileURLToPath(new URL("dist/cli/bin.js", root));

/** The package's version. */
export function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string };
  return manifest.version;
}
