/** Globs know nothing of line ends: `**` and `*` stop at one. A name with one in it must match as any other does. */

/** A name, or a glob, with a space for each line end. */
export function onOneLine(name: string): string {
  return name.replace(/[\n\r\u2028\u2029]/g, " ");
}
