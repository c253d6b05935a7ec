/** JSON values on one line, with a blank after each comma and colon, for texts that people read. */
import { isTable, type Json } from "./json.js";

/** A value as one line of JSON. */
export function jsonLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(", ")}]`;
  if (!isTable(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${jsonLine(member as Json)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
