/**
 * JSON texts of what is needed more than once: the items of an answer are told from others by theirs, the answer is measured,
 * and then sent. What was spelt is not changed any more.
 */
import { isTable } from "./json.js";

const texts = new WeakMap<object, string>();
/** A shorter text is made anew as quickly as it is found. */
const worthKeeping = 2048;
/** What was spelt stands at most so many levels below. */
const deepest = 2;

/** The text of a table or a list, which may be needed again. */
export function spelt(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = messageText(value);
  if (text.length >= worthKeeping) texts.set(value, text);
  return text;
}

/** A message as JSON: what was spelt before, in the message or in one of its members, is taken as it is. */
export function messageText(message: object): string {
  return within(message, deepest) ?? JSON.stringify(message);
}

/** The text of what was spelt, or of a table that holds it, at most so many levels below; undefined when it does not. */
function within(value: object, levels: number): string | undefined {
  const known = texts.get(value);
  if (known !== undefined || levels === 0 || !isTable(value)) return known;
  for (const name in value) {
    const member = value[name];
    const text = typeof member === "object" && member !== null ? within(member, levels - 1) : undefined;
    if (text !== undefined) return around(value, name, text);
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
