/** Reads a config file: decodes its bytes, parses TOML or JSON, and gives every mistake a place. */

import { toPointer } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Problem } from "../../base/problem.js";
import { decodeUtf8 } from "../../base/text.js";
import { parseJson } from "./json.js";
import { tooDeep } from "./plain-values.js";
import { MAX_OTHER_TOKENS, MAX_TOKENS, measure } from "./size.js";
import {
  brokenWith,
  type Finding,
  MAX_DEPTH,
  type Parsed,
  type Part,
  type Path,
  PlaceFinder,
  problemAt,
  type Source,
} from "./source.js";
import { parseToml } from "./toml.js";

export const MAX_CONFIG_BYTES = 1_048_576;
/** Some clients keep their history in their config file. */
export const MAX_OTHER_BYTES = 64 << 20;

/** Reads one of our configs; `file` is the name that places carry. */
export function readSource(file: string, content: string | Uint8Array): Source {
  const parse = (text: string) => (isJson(file, text) ? parseJson(text) : parseToml(text));
  return parseContent(file, content, {
    parse,
    mostBytes: MAX_CONFIG_BYTES,
    mostTokens: MAX_TOKENS,
    fix: "Split it with `extends`.",
  });
}

/** Reads a file of another program, whose JSON may have comments and trailing commas. */
export function readOther(
  file: string,
  content: string | Uint8Array,
  language: "json" | "toml",
  mostBytes = MAX_OTHER_BYTES,
): Source {
  const parse = (text: string) =>
    language === "toml" ? parseToml(text) : parseJson(text.trim() === "" ? "{}" : text, { lenient: true });
  const fix = "Edit the file by hand.";
  return parseContent(file, content, { parse, mostBytes, mostTokens: MAX_OTHER_TOKENS, fix });
}

/** Whether a file is read as JSON: by its extension, else by its first character. */
export function isJson(file: string, text: string): boolean {
  if (file.endsWith(".json")) return true;
  return !file.endsWith(".toml") && text.trimStart().startsWith("{");
}

interface SourceFormat {
  parse: (text: string) => Parsed;
  mostBytes: number;
  mostTokens: number;
  /** The fix for a file that is too large. */
  fix: string;
}

/** Unclosed brackets of a broken TOML file look like nesting, so this is far more than is allowed. */
const MAX_BRACKETS = 16 * MAX_DEPTH;

function parseContent(
  file: string,
  content: string | Uint8Array,
  { parse, mostBytes, mostTokens, fix }: SourceFormat,
): Source {
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
  if (size > mostBytes) return unreadable(file, `the file is larger than ${mostBytes} bytes`, fix);
  const decoded = decodeUtf8(content);
  if (decoded === undefined) return unreadable(file, "the file is not UTF-8", "Save the file as UTF-8.");
  const { mark, text } = decoded;
  const { tokens, deepAt } = measure(text, mostTokens, isJson(file, text) ? MAX_DEPTH : MAX_BRACKETS);
  if (tokens > mostTokens)
    return unreadable(file, `the file has more than ${mostTokens} keys, values and signs`, fix);
  const deep =
    deepAt === undefined ? undefined : brokenWith([{ ...tooDeep([]), span: [deepAt, deepAt + 1] }]);
  return toSource(file, mark, text, deep ?? parse(text), tokens);
}

function toSource(file: string, mark: string, text: string, parsed: Parsed, tokens: number): Source {
  const { tree, broken, findings } = parsed;
  const finder = new PlaceFinder(file, text);
  const place = (path: Path, part: Part) => {
    for (let length = path.length; length >= 0; length--) {
      const span = parsed.span(path.slice(0, length), length === path.length ? part : "value");
      if (span) return finder.place(span);
    }
    return finder.place([0, 0]);
  };
  const problems = findings.map(({ code, message, path, span, ...options }): Problem => {
    const problem = problemAt({ place, pointer: toPointer }, code, message, path, options);
    return span ? { ...problem, place: finder.place(span) } : problem;
  });
  const refused = findings.filter(({ code }) => code === "config/unsupported-value");
  return {
    file,
    mark,
    text,
    tokens,
    tree,
    problems: inOrder(problems),
    broken,
    refused: new Set(refused.map(({ path }) => toPointer(path))),
    place,
    pointer: toPointer,
  };
}

export function inOrder(problems: readonly Problem[]): Problem[] {
  return sortBy(problems, ({ place, code, message }) => [
    place?.file ?? "",
    place?.line ?? 0,
    place?.column ?? 0,
    code,
    message,
  ]);
}

function unreadable(file: string, what: string, fix: string): Source {
  const finding: Finding = { code: "config/syntax", message: what, path: [], fix };
  return toSource(file, "", "", brokenWith([finding]), 0);
}
