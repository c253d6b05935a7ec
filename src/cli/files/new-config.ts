/**
 * The text of a config that a command creates. It names the schema, by which editors complete keys and check values.
 */
import type { JsonObject } from "../../base/json.js";
import { isJson, readSource } from "../../config/text/read.js";
import { schemaUrl } from "../shipped.js";

/** Taplo and the VS Code extension Even Better TOML read it. */
export function schemaComment(): string {
  return `#:schema ${schemaUrl()}`;
}

/** A config without a setting, in the language of the file. */
export function emptyConfig(file: string): string {
  return configFor(file, `${schemaComment()}\n`);
}

/** A config in TOML in the language of the file. JSON has no comments. */
export function configFor(file: string, toml: string): string {
  return isJson(file, toml) ? jsonConfig(readSource("", toml).tree) : toml;
}

function jsonConfig(tree: JsonObject): string {
  return `${JSON.stringify({ $schema: schemaUrl(), ...tree }, null, 2)}\n`;
}
