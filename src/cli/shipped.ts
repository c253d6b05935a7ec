/** Paths of the package's own files, and its version. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

export const shippedConfigs = fileURLToPath(new URL("configs/", root));
export const shippedTemplates = fileURLToPath(new URL("templates/", root));
/** The validators that the build compiled for the shipped tools. */
export const shippedValidators = fileURLToPath(new URL("dist/validators/", root));
/** The files of the dashboard's page. */
export const shippedPage = fileURLToPath(new URL("dist/dashboard/", root));
export const executable = fileURLToPath(new URL("dist/cli/bin.js", root));

export function version(): string {
  return manifest().version;
}

/** Where editors find the schema of the config: in the newest published package whose configs are compatible. */
export function schemaUrl(): string {
  const { name, version } = manifest();
  // Before 1.0 a minor version may change the config language: docs/versioning.md.
  const [major = "", minor = ""] = version.split(".");
  return `https://unpkg.com/${name}@${major === "0" ? `0.${minor}` : major}/configs/schema.json`;
}

function manifest(): { name: string; version: string } {
  return JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { name: string; version: string };
}
