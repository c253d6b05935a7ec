/**
 * The files that a text imports, found without knowing its language: relative paths in quotes, with or without their
 * extension, or the index file of a folder.
 */
import { dirname, join, resolve } from "node:path";

/** Imports are at the beginning of a file. */
const MAX_CHARS = 65_536;
const relativePath = /(["'])(\.{1,2}\/[^"'\n]{1,512})\1/g;

/** The imported files among those that exist, in the order of the text, at most so many. */
export function importedFiles(
  path: string,
  text: string,
  extensions: readonly string[],
  existing: Iterable<string>,
  most: number,
): string[] {
  const written = [...text.slice(0, MAX_CHARS).matchAll(relativePath)].map(([, , name = ""]) => name);
  const choices = [...new Set(written)].map((name) =>
    filesNamed(resolve(dirname(path), name), extensions).filter((file) => file !== path),
  );
  const wanted = new Set(choices.flat());
  const found = new Set<string>();
  for (const file of existing) {
    if (wanted.has(file)) found.add(file);
  }
  const files = choices.flatMap((names) => names.find((file) => found.has(file)) ?? []);
  return [...new Set(files)].slice(0, most);
}

/** The files that a path may mean. Some languages write the extension of the compiled file: `./a.js` for `a.ts`. */
function filesNamed(path: string, extensions: readonly string[]): string[] {
  const stem = path.replace(/\.[a-z]{1,4}$/, "");
  return [
    path,
    ...extensions.map((extension) => `${path}.${extension}`),
    ...(stem === path ? [] : extensions.map((extension) => `${stem}.${extension}`)),
    ...extensions.map((extension) => join(path, `index.${extension}`)),
  ];
}
