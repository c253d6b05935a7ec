/** JSON values as TOML text: strings are basic strings, tables are inline. */
import { define, isTable, type Json, type JsonObject } from "./json.js";
import { Fault } from "./problem.js";

/** A value as it stands right of `=` in TOML. */
export function tomlText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(", ")}]`;
  if (isTable(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => `${tomlKey(key)} = ${tomlText(member as Json)}`,
    );
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  if (typeof value === "string") return tomlString(value);
  if (value === null) throw new Fault("TOML has no null");
  return String(value);
}

/** The part of a value that TOML can say, undefined when that is nothing; `lost` takes the path of each null left out. */
export function tomlPart(value: Json, lost: (path: string) => void, path = ""): Json | undefined {
  if (value === null) {
    lost(path);
    return undefined;
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const part = tomlPart(item, lost, `${path}[${index}]`);
      return part === undefined ? [] : [part];
    });
  if (!isTable(value)) return value;
  const out: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const part = tomlPart(member as Json, lost, `${path}.${tomlKey(key)}`);
    if (part !== undefined) define(out, key, part);
  }
  return out;
}

/** A key, bare where TOML allows it. */
export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

function tomlString(text: string): string {
  // JSON escapes what TOML wants escaped, but for DEL; lone surrogates have no place in TOML.
  return JSON.stringify(text.replaceAll(/\p{Cs}/gu, "\ufffd")).replaceAll("\u007f", "\\u007f");
}
