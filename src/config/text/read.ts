/** A file's bytes → its tree and places. TOML or JSON by extension, else by the first character. */
import { codes } from "../../base/codes.js";
import { sortBy } from "../../base/order.js";
import { toPointer } from "../../base/pointer.js";
import type { Problem } from "../../base/problem.js";
import { Lines } from "../../base/text.js";
import { parseJson } from "./json.js";
import type { Parsed, Part, Path, Source } from "./source.js";
import { placeOf } from "./source.js";
import { parseToml } from "./toml.js";

/** The largest config file that is read. */
export const MAX_CONFIG_BYTES = 1_048_576;

/** Reads one config; `file` is the name that places carry. */
export function readSource(file: string, content: string | Uint8Array): Source {
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
  if (size > MAX_CONFIG_BYTES) {
    return unreadable(file, `larger than ${MAX_CONFIG_BYTES} bytes`, "Split it with `extends`.");
  }
  return readText(file, content, (text) => (isJson(file, text) ? parseJson(text) : parseToml(text)));
}

/** Reads a file of another program: its JSON may have comments and trailing commas. */
export function readOther(file: string, content: string | Uint8Array, language: "json" | "toml"): Source {
  const parse = (text: string) =>
    language === "toml" ? parseToml(text) : parseJson(text.trim() === "" ? "{}" : text, { lenient: true });
  return readText(file, content, parse);
}

/** What some editors write before a text; it means nothing, and stays where a file is changed. */
const MARK = "\uFEFF";

function readText(file: string, content: string | Uint8Array, parse: (text: string) => Parsed): Source {
  const decoded = decode(content);
  if (decoded === undefined) return unreadable(file, "not UTF-8", "Save the file as UTF-8.");
  const mark = decoded.startsWith(MARK) ? MARK : "";
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

/** Whether a file is read as JSON. */
export function isJson(file: string, text: string): boolean {
  if (file.endsWith(".json")) return true;
  return !file.endsWith(".toml") && text.trimStart().startsWith("{");
}

function toSource(file: string, mark: string, text: string, parsed: Parsed): Source {
  const lines = new Lines(text);
  const place = (path: Path, part: Part) => {
    for (let length = path.length; length >= 0; length--) {
      const span = parsed.span(path.slice(0, length), length === path.length ? part : "value");
      if (span) return placeOf(file, lines, span);
    }
    return placeOf(file, lines, [0, 0]);
  };
  const problems = parsed.findings.map(
    (finding): Problem => ({
      code: finding.code,
      severity: "error",
      message: finding.message,
      pointer: toPointer(finding.path),
      place: finding.span ? placeOf(file, lines, finding.span) : place(finding.path, finding.part ?? "value"),
      fix: finding.fix ?? codes[finding.code].fix,
    }),
  );
  return {
    file,
    mark,
    text,
    tree: parsed.tree,
    problems: inOrder(problems),
    broken: parsed.broken,
    refused: new Set(
      parsed.findings
        .filter((finding) => finding.code === "config/unsupported-value")
        .map((finding) => toPointer(finding.path)),
    ),
    place,
    pointer: toPointer,
  };
}

/** Problems by place, so that a report reads from top to bottom. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  return sortBy(problems, (problem) => [
    problem.place?.file ?? "",
    problem.place?.line ?? 0,
    problem.place?.column ?? 0,
    problem.code,
    problem.message,
  ]);
}

function unreadable(file: string, what: string, fix: string): Source {
  const problem: Problem = {
    code: "config/syntax",
    severity: "error",
    message: `the file is ${what}`,
    pointer: "",
    place: { file, line: 1, column: 1 },
    fix,
  };
  return {
    file,
    mark: "",
    text: "",
    tree: {},
    problems: [problem],
    broken: true,
    refused: new Set(),
    place: () => ({ file, line: 1, column: 1 }),
    pointer: toPointer,
  };
}
