/** Reads a config file: decodes its bytes, parses TOML or JSON, and gives every mistake a place. */

import { toPointer } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Problem } from "../../base/problem.js";
import { Lines } from "../../base/text.js";
import { parseJson } from "./json.js";
import {
  brokenWith,
  type Finding,
  type Parsed,
  type Part,
  type Path,
  placeOf,
  problemAt,
  type Source,
} from "./source.js";
import { parseToml } from "./toml.js";

export const MAX_CONFIG_BYTES = 1_048_576;

/** Reads one of our configs; `file` is the name that places carry. */
export function readSource(file: string, content: string | Uint8Array): Source {
  const parse = (text: string) => (isJson(file, text) ? parseJson(text) : parseToml(text));
  return parseContent(file, content, parse, "Split it with `extends`.");
}

/** Reads a file of another program, whose JSON may have comments and trailing commas. */
export function readOther(file: string, content: string | Uint8Array, language: "json" | "toml"): Source {
  const parse = (text: string) =>
    language === "toml" ? parseToml(text) : parseJson(text.trim() === "" ? "{}" : text, { lenient: true });
  return parseContent(file, content, parse, "Edit the file by hand.");
}

/** Whether a file is read as JSON: by its extension, else by its first character. */
export function isJson(file: string, text: string): boolean {
  if (file.endsWith(".json")) return true;
  return !file.endsWith(".toml") && text.trimStart().startsWith("{");
}

const BYTE_ORDER_MARK = "\uFEFF";

function parseContent(
  file: string,
  content: string | Uint8Array,
  parse: (text: string) => Parsed,
  tooLargeFix: string,
): Source {
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
  if (size > MAX_CONFIG_BYTES) return unreadable(file, `larger than ${MAX_CONFIG_BYTES} bytes`, tooLargeFix);
  const decoded = decode(content);
  if (decoded === undefined) return unreadable(file, "not UTF-8", "Save the file as UTF-8.");
  const mark = decoded.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = decoded.slice(mark.length);
  return toSource(file, mark, text, parse(text));
}

function decode(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function toSource(file: string, mark: string, text: string, parsed: Parsed): Source {
  const { tree, broken, findings } = parsed;
  const lines = new Lines(text);
  const place = (path: Path, part: Part) => {
    for (let length = path.length; length >= 0; length--) {
      const span = parsed.span(path.slice(0, length), length === path.length ? part : "value");
      if (span) return placeOf(file, lines, span);
    }
    return placeOf(file, lines, [0, 0]);
  };
  const problems = findings.map(({ code, message, path, span, ...options }): Problem => {
    const problem = problemAt({ place, pointer: toPointer }, code, message, path, options);
    return span ? { ...problem, place: placeOf(file, lines, span) } : problem;
  });
  const refused = findings.filter(({ code }) => code === "config/unsupported-value");
  return {
    file,
    mark,
    text,
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
  const finding: Finding = { code: "config/syntax", message: `the file is ${what}`, path: [], fix };
  return toSource(file, "", "", brokenWith([finding]));
}
