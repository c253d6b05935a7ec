/**
 * The code of the shipped tools' schemas, compiled when the program was built. A schema's file is named by the hash of
 * the schema, so what is found under it is its code, and who changes a tool gets the compiler instead.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/hash.js";
import { canonicalText, type JsonObject } from "../base/json.js";
import { Fault } from "../base/problem.js";
import type { SchemaCompiler } from "./validator.js";

/** The name of the file with a schema's code. */
export function codeFile(schema: JsonObject): string {
  return `${sha256(canonicalText(schema))}.js`;
}

/** Looks a schema's code up in a folder; none when the schema is not a shipped one. */
export function shippedCode(folder: string): (schema: JsonObject) => string | undefined {
  const read = new Map<string, string | undefined>();
  return (schema) => {
    const file = codeFile(schema);
    if (!read.has(file)) read.set(file, textOf(join(folder, file)));
    return read.get(file);
  };
}

/** A compiler that only knows what was compiled before. */
export function shippedCompiler(find: (schema: JsonObject) => string | undefined): SchemaCompiler {
  return {
    check: () => {
      throw new Fault("a schema from outside needs the compiler");
    },
    code(schema) {
      const code = find(schema);
      if (code === undefined) throw new Fault("a schema is not a shipped one");
      return code;
    },
  };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
