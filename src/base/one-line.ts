/** Glob matchers stop at line ends. A file name that contains one must match like any other. */

/** A name or a glob with a space for each line end. */
export function onOneLine(name: string): string {
  return name.replace(/[\n\r\u2028\u2029]/g, " ");
}
