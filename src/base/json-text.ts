/** Writes JSON on one line with spaces after commas and colons, for people. */
import { isTable, type Json } from "./json.js";

export function jsonLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(", ")}]`;
  if (!isTable(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${jsonLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
