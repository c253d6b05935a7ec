/** "Did you mean" for an argument that a tool does not have: other tools and protocols have other names for the same. */
import { nearest } from "./nearest.js";

/** Names for the same thing. Those that the tool has are suggested, the first of them. */
const synonyms: readonly (readonly string[])[] = [
  ["character", "column", "col", "char"],
  ["line", "line_number", "lineno", "row"],
  ["file_path", "file", "path", "filename", "filepath", "uri", "relative_path", "document"],
  ["symbol_name", "name_path", "symbol", "name", "identifier", "query"],
  ["query", "search", "pattern", "symbol_name"],
  ["body", "new_text", "text", "content", "code"],
];

/** The argument that a name probably stands for, as a text; undefined when none does. */
export function argumentMeant(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase();
  const likely = (wanted: string) => {
    const groups = synonyms.filter((names) => names.includes(wanted));
    return groups.flat().find((other) => known.includes(other));
  };
  if (word === "position" || word === "pos") {
    const [line, character] = [likely("line"), likely("character")];
    if (line !== undefined && character !== undefined) return `${line} and ${character}`;
  }
  return likely(snake(name)) ?? nearest(name, known) ?? havingWord(word, known);
}

/** `filePath` as `file_path`. */
function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

/** The argument that has the word as one of its own: `path` for `file_path`. */
function havingWord(word: string, known: readonly string[]): string | undefined {
  const having = known.filter((other) => other.split("_").includes(word));
  return having.find((other) => /_(?:name|path)$/.test(other)) ?? having[0];
}
