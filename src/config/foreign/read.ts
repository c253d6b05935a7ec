/** Reads another program's config, TOML or JSON with comments, and finds out whose it is. */
import { type ParseError, parse as parseJsonc, printParseErrorCode } from "jsonc-parser";
import { isTable, type JsonObject } from "../../base/json.js";
import { ConfigError } from "../../base/problem.js";
import { modernise } from "../lspi.js";
import { readSource } from "../text/read.js";
import type { Format } from "./format.js";
import { formats } from "./formats.js";

/** The tree of a file and the format that it has; no format when it is none that is known. */
export function readForeign(
  file: string,
  content: string | Uint8Array,
  wanted: string | undefined,
): { tree: JsonObject; format: Format | undefined } {
  const text = typeof content === "string" ? content : new TextDecoder().decode(content);
  const source = file.endsWith(".toml") ? readSource(file, text) : readSource(file, plainJson(file, text));
  if (source.broken) throw new ConfigError(source.problems);
  const { tree } = source;
  const format = formats.find(({ name, matches }) =>
    wanted === undefined ? matches(tree) : name === wanted,
  );
  return { tree: format?.isOurs ? modernise(source).tree : tree, format };
}

/** Other programs take comments and trailing commas in their JSON. */
function plainJson(file: string, text: string): string {
  const errors: ParseError[] = [];
  const tree: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined && isTable(tree)) return JSON.stringify(tree);
  const why = error === undefined ? "is no table" : `cannot be read: ${printParseErrorCode(error.error)}`;
  const line = text.slice(0, error?.offset ?? 0).split("\n").length;
  throw new ConfigError([
    {
      code: "config/syntax",
      severity: "error",
      message: `the file ${why}`,
      pointer: "",
      fix: "Correct the file, or name another.",
      place: { file, line, column: 1, endLine: line, endColumn: 1 },
    },
  ]);
}
