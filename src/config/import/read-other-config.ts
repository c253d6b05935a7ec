/** Reads another program's config, TOML or JSON with comments, and recognises its format. */
import { type ParseError, parse as parseJsonc, printParseErrorCode } from "jsonc-parser";
import { isTable, type JsonObject } from "../../base/json.js";
import { ConfigError } from "../../base/problem.js";
import { asText } from "../files.js";
import { renameLspiKeys } from "../lspi.js";
import { readSource } from "../text/read.js";
import { lineOf, problemWithoutPlace } from "../text/source.js";
import type { Format } from "./format.js";
import { formats } from "./formats.js";

/** A file's tree and its format: the `wanted` one, else the one that is recognised, if any. */
export function readOtherConfig(
  file: string,
  content: string | Uint8Array,
  wanted: string | undefined,
): { tree: JsonObject; format: Format | undefined } {
  const text = asText(content);
  const source = readSource(file, file.endsWith(".toml") ? text : plainJson(file, text));
  if (source.broken) throw new ConfigError(source.problems);
  const { tree } = source;
  const format = formats.find(({ name, matches }) =>
    wanted === undefined ? matches(tree) : name === wanted,
  );
  return { tree: format?.isOurs ? renameLspiKeys(source).tree : tree, format };
}

/** The JSON without comments and trailing commas, which other programs allow. */
function plainJson(file: string, text: string): string {
  const errors: ParseError[] = [];
  const tree: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined && isTable(tree)) return JSON.stringify(tree);
  const reason =
    error === undefined ? "is not a table" : `cannot be read: ${printParseErrorCode(error.error)}`;
  const line = lineOf(text, error?.offset ?? 0);
  const problem = problemWithoutPlace(
    "config/syntax",
    `the file ${reason}`,
    "Correct the file, or name another.",
  );
  throw new ConfigError([{ ...problem, place: { file, line, column: 1, endLine: line, endColumn: 1 } }]);
}
