/**
 * The validators of the shipped tools, compiled when the program is built, so that Ajv is loaded only for other tools.
 * A file is named by the hash of its schema: a changed tool has another hash and is compiled.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/hash.js";
import type { JsonObject } from "../base/json.js";
import type { SchemaCompiler } from "./validator.js";

/** The name of the file with the code of a schema. The schema is bare, so its keys are sorted. */
export function codeFile(schema: JsonObject): string {
  return `${sha256(JSON.stringify(schema))}.js`;
}

/** Looks up the code of a schema in a folder; undefined for schemas that are not shipped. */
export function shippedCode(folder: string): (schema: JsonObject) => string | undefined {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return (schema) => {
    const file = codeFile(schema);
    return names.has(file) ? readFileSync(join(folder, file), "utf8") : undefined;
  };
}

/** A schema is not a shipped one, or its validity must be checked: that takes Ajv. */
export class NeedsAjv extends Error {
  override readonly name = "NeedsAjv";
}

/** A compiler that only knows shipped schemas. Throws a NeedsAjv for others. */
export function shippedCompiler(find: (schema: JsonObject) => string | undefined): SchemaCompiler {
  return {
    check: () => {
      throw new NeedsAjv("a schema from a config is checked by Ajv");
    },
    code(schema) {
      const code = find(schema);
      if (code === undefined) throw new NeedsAjv("a schema is not a shipped one");
      return code;
    },
  };
}
