/**
 * From what a parser yields to plain JSON. What JSON lacks (dates, NaN, infinities, integers beyond 2^53) and keys
 * that could reach a prototype are findings; the tree that remains is safe to walk.
 */
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { type Finding, MAX_DEPTH, type Path } from "./source.js";

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key is refused everywhere. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** The finding for a key that is refused everywhere. */
export function forbiddenKey(path: Path, key: string): Finding {
  return {
    code: "config/unsupported-value",
    message: `the key \`${key}\` is not allowed`,
    path: [...path, key],
    part: "key",
    fix: "Rename the key.",
  };
}

/** The finding for a value that stands too deep. */
export function tooDeep(path: Path): Finding {
  return {
    code: "config/unsupported-value",
    message: `nested more than ${MAX_DEPTH} levels deep`,
    path: path.slice(0, MAX_DEPTH),
    fix: "Flatten it.",
  };
}

/** A plain copy of a parsed table; `skip` names keys that are left out. */
export function plainTable(
  raw: Record<string, unknown>,
  findings: Finding[],
  skip: ReadonlySet<string>,
): JsonObject {
  return plainEntries(raw, [], findings, skip);
}

function plainEntries(
  raw: Record<string, unknown>,
  path: Path,
  findings: Finding[],
  skip: ReadonlySet<string>,
): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(raw)) {
    if (skip.has(key)) continue;
    if (isForbiddenKey(key)) findings.push(forbiddenKey(path, key));
    else define(out, key, plain(value, [...path, key], findings, skip));
  }
  return out;
}

function plain(raw: unknown, path: Path, findings: Finding[], skip: ReadonlySet<string>): Json {
  if (typeof raw === "string" || typeof raw === "boolean" || raw === null) return raw;
  if (typeof raw === "number" || typeof raw === "bigint") return plainNumber(raw, path, findings);
  if (raw instanceof Date) {
    findings.push(unsupported(path, "a date or time", "Write it as a text, in quotes."));
    return null;
  }
  if (path.length >= MAX_DEPTH) {
    findings.push(tooDeep(path));
    return null;
  }
  if (Array.isArray(raw)) return raw.map((item, index) => plain(item, [...path, index], findings, skip));
  if (isTable(raw)) return plainEntries(raw, path, findings, skip);
  findings.push(unsupported(path, `a value of type ${typeof raw}`, "Write a text or a number."));
  return null;
}

/** A finite number within the safe range, or a finding and `null`. */
export function plainNumber(raw: number | bigint, path: Path, findings: Finding[]): Json {
  const value = Number(raw);
  if (!Number.isFinite(value)) {
    findings.push(
      unsupported(path, Number.isNaN(value) ? "NaN" : "an infinite number", "Write a finite number."),
    );
    return null;
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    findings.push(
      unsupported(path, "an integer beyond 2^53", "Write a smaller number, or a text in quotes."),
    );
    return null;
  }
  return value;
}

function unsupported(path: Path, what: string, fix: string): Finding {
  return { code: "config/unsupported-value", message: `${what} has no place in a config`, path, fix };
}
