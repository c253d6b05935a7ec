/**
 * Warns when a server resolved a symbol of another name than the one asked for: an alias, a re-export, a constructor.
 */
import type { Range } from "vscode-languageserver-protocol";
import { sortedSet } from "../../base/order.js";
import { convertColumn, type Lines } from "../../base/text.js";
import { listOf, locationIn, type ReplyPart } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { wordWithin } from "./symbols.js";
import type { Target } from "./target.js";
import { isWord, wordAt } from "./words.js";

/** Compares the name at the call's position with the names at the positions that declare it. */
export async function warnOfOtherSymbol(call: CallState, target: Target, parts: ReplyPart[]): Promise<void> {
  if (target.place === undefined) return;
  const asked = wordAt(target.document.lines.line(target.place.line), target.place.character)?.text;
  if (asked === undefined) return;
  const others: string[] = [];
  for (const { server, value } of parts) {
    if (server === undefined) continue;
    for (const entry of listOf(value)) {
      const location = locationIn(entry);
      if (location === undefined || call.places.show(location.uri) === undefined) continue;
      const { uri, range } = location;
      const lines = await call.places.lines(server, uri);
      const name = lines && nameIn(lines, range, server.encoding);
      // This position has the name, or may have it.
      if (lines === undefined || name === asked) return;
      if (name !== undefined) others.push(name);
      else if (wordWithin(lines, range, asked) !== undefined) return;
    }
  }
  const found = sortedSet(others);
  if (found.length === 0) return;
  call.evidence.warn(
    "answer/other-symbol",
    `The symbol at the position is called ${asked}; the server resolved ${found.join(", ")}.`,
    { asked, found },
  );
}

/** The text of the range if it is one word: then the server gave the range of the name. */
function nameIn(
  lines: Lines,
  { start, end }: Range,
  encoding: "utf-8" | "utf-16" | "utf-32",
): string | undefined {
  if (start.line !== end.line) return undefined;
  const line = lines.line(start.line);
  const column = (character: number) => convertColumn(line, character, encoding, "utf-16");
  const text = line.slice(column(start.character), column(end.character));
  return isWord(text) ? text : undefined;
}
