/**
 * JSON texts of tables that are needed more than once: an answer is measured, and then sent. What was spelt is not changed
 * any more.
 */
import { isTable } from "./json.js";

const texts = new WeakMap<object, string>();
/** A shorter text is made anew as quickly as it is found. */
const worthKeeping = 2048;

/** The text of a table, which may be needed again. */
export function spelt(table: object): string {
  const known = texts.get(table);
  if (known !== undefined) return known;
  const text = JSON.stringify(table);
  if (text.length >= worthKeeping) texts.set(table, text);
  return text;
}

/** A message as JSON: what was spelt before, in the message or in one of its members, is taken as it is. */
export function messageText(message: object): string {
  return within(message, 2) ?? JSON.stringify(message);
}

/** The text of a table that holds one that was spelt, at most so many levels below; undefined when it does not. */
function within(table: object, levels: number): string | undefined {
  const known = texts.get(table);
  if (known !== undefined || levels === 0) return known;
  for (const [name, member] of Object.entries(table)) {
    const text = isTable(member) ? within(member, levels - 1) : undefined;
    if (text !== undefined) return around(table, name, text);
  }
  return undefined;
}

/** The text of a table, the text of one of its members being known. It is put together only: nothing is copied until it is written. */
function around(table: object, known: string, text: string): string {
  let whole = "{";
  for (const [name, member] of Object.entries(table)) {
    const spelt = name === known ? text : JSON.stringify(member);
    if (spelt === undefined) continue;
    whole += `${whole.length === 1 ? "" : ","}${JSON.stringify(name)}:`;
    whole += spelt;
  }
  return `${whole}}`;
}
