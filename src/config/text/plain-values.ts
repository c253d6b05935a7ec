/** Turns parsed values into plain JSON. Values that JSON lacks, and keys that could reach a prototype, are findings. */
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { type Finding, MAX_DEPTH, type Path, type Span } from "./source.js";

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

function forbiddenKey(path: Path): Finding {
  const message = `the key \`${path.at(-1)}\` is not allowed`;
  return { code: "config/unsupported-value", message, path, part: "key", fix: "Rename the key." };
}

export function tooDeep(path: Path): Finding {
  return {
    code: "config/unsupported-value",
    message: `nested more than ${MAX_DEPTH} levels deep`,
    path: path.slice(0, MAX_DEPTH),
    fix: "Flatten it.",
  };
}

export function duplicateKey(path: Path, span: Span, firstLine: number | undefined): Finding {
  const first = firstLine === undefined ? "" : `; first set in line ${firstLine}`;
  return { code: "config/duplicate-key", message: `duplicate key \`${path.at(-1)}\`${first}`, path, span };
}

/** A plain copy of a parsed table without the keys in `skip`. */
export function plainTable(
  raw: Record<string, unknown>,
  findings: Finding[],
  skip: ReadonlySet<string> = new Set(),
  path: Path = [],
): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(raw)) {
    if (skip.has(key)) continue;
    if (FORBIDDEN_KEYS.has(key)) findings.push(forbiddenKey([...path, key]));
    else define(out, key, plainValue(value, [...path, key], findings, skip));
  }
  return out;
}

function plainValue(raw: unknown, path: Path, findings: Finding[], skip: ReadonlySet<string>): Json {
  if (typeof raw === "string" || typeof raw === "boolean" || raw === null) return raw;
  if (typeof raw === "number" || typeof raw === "bigint") return plainNumber(raw, path, findings);
  if (raw instanceof Date) {
    findings.push(unsupported(path, "a date or time", "Write it as a string, in quotes."));
    return null;
  }
  if (path.length >= MAX_DEPTH) {
    findings.push(tooDeep(path));
    return null;
  }
  if (Array.isArray(raw)) return raw.map((item, index) => plainValue(item, [...path, index], findings, skip));
  if (isTable(raw)) return plainTable(raw, findings, skip, path);
  findings.push(unsupported(path, `a value of type ${typeof raw}`, "Write a string or a number."));
  return null;
}

function plainNumber(raw: number | bigint, path: Path, findings: Finding[]): Json {
  const value = Number(raw);
  if (!Number.isFinite(value)) {
    const what = Number.isNaN(value) ? "NaN" : "an infinite number";
    findings.push(unsupported(path, what, "Write a finite number."));
    return null;
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const fix = "Write a smaller number, or a string in quotes.";
    findings.push(unsupported(path, "an integer beyond 2^53", fix));
    return null;
  }
  return value;
}

function unsupported(path: Path, what: string, fix: string): Finding {
  return { code: "config/unsupported-value", message: `${what} is not supported in a config`, path, fix };
}
