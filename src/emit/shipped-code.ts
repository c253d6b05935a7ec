/**
 * The code of the shipped tools' schemas, compiled when the program was built. A schema's file is named by the hash of
 * the schema, so what is found under it is its code, and who changes a tool gets the compiler instead.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../base/hash.js";
import type { JsonObject } from "../base/json.js";
import { Fault } from "../base/problem.js";
import type { SchemaCompiler } from "./validator.js";

/** The name of the file with the code of a schema, which is as the compiler sees it: its keys are in order already. */
export function codeFile(schema: JsonObject): string {
  return `${sha256(JSON.stringify(schema))}.js`;
}

/** Looks a schema's code up in a folder; none when the schema is not a shipped one. */
export function shippedCode(folder: string): (schema: JsonObject) => string | undefined {
  const read = new Map<string, string>();
  let names: ReadonlySet<string> | undefined;
  return (schema) => {
    // Of many tools that somebody wrote each would be looked for in vain.
    names ??= new Set(existsSync(folder) ? readdirSync(folder) : []);
    const file = codeFile(schema);
    if (!names.has(file)) return undefined;
    const text = read.get(file) ?? readFileSync(join(folder, file), "utf8");
    read.set(file, text);
    return text;
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
