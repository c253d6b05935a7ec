/** Forms of words: plurals of counted nouns, and names of the plan as the config writes them. */
import type { Json } from "./json.js";

/** `1 server`, `2 servers`. */
export function plural(count: Json | undefined, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `maxItems` → `max_items`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
