/** Writes JSON values as TOML text: basic strings and inline tables. */
import { replaceHidden } from "./hidden-characters.js";
import { define, isTable, type Json, type JsonObject } from "./json.js";
import { Fault } from "./problem.js";

/** A value as TOML, as after `=`. Throws for null. */
export function tomlText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(", ")}]`;
  if (isTable(value)) {
    const members = Object.entries(value).map(([key, member]) => `${tomlKey(key)} = ${tomlText(member)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  if (typeof value === "string") return tomlString(value);
  if (value === null) throw new Fault("TOML has no null");
  return String(value);
}

/** A value without its nulls, which TOML lacks; undefined for null itself. `onNull` receives the path of each null. */
export function withoutNulls(value: Json, onNull: (path: string) => void, path = ""): Json | undefined {
  if (value === null) {
    onNull(path);
    return undefined;
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const part = withoutNulls(item, onNull, `${path}[${index}]`);
      return part === undefined ? [] : [part];
    });
  if (!isTable(value)) return value;
  const out: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const part = withoutNulls(member, onNull, `${path}.${tomlKey(key)}`);
    if (part !== undefined) define(out, key, part);
  }
  return out;
}

/** A key, without quotes where TOML allows it. */
export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

function tomlString(text: string): string {
  // JSON escapes everything that TOML requires except DEL, a hidden character; TOML does not allow lone surrogates.
  const json = JSON.stringify(text.replaceAll(/\p{Cs}/gu, "\ufffd"));
  return replaceHidden(json, (found) => `\\U${(found.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`);
}
