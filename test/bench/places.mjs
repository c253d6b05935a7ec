/** Where to ask: declarations of a workspace's files, by the server's own outline. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The declarations of these files. */
export async function placesIn(raw, workspace, files) {
  const places = await somePlacesIn(raw, workspace, files);
  if (places.length === 0) throw new Error(`the server finds no declarations in ${files.join(", ")}`);
  return places;
}

/** The declarations of these files, or of the first of them that have so many; maybe none. */
export async function somePlacesIn(raw, { folder, server }, files, most = Number.POSITIVE_INFINITY) {
  const places = [];
  for (const path of files) {
    if (places.length >= most) break;
    const uri = await raw.didOpen(join(folder, path), server.languageId);
    const lines = readFileSync(join(folder, path), "utf8").split(/\r?\n/);
    const symbols = await raw.request("textDocument/documentSymbol", { textDocument: { uri } });
    for (const symbol of symbols ?? []) {
      const { start } = symbol.selectionRange ?? symbol.range ?? symbol.location.range;
      // An outline may also have what has no name (`describe() callback`), of which there is nothing to tell.
      if (!lines[start.line]?.startsWith(symbol.name, start.character)) continue;
      places.push({ path, uri, name: symbol.name, ...start });
    }
  }
  return places.slice(0, most);
}

/** What the server is asked for the references of a place with. */
export function referencesParams({ uri, line, character }) {
  return { textDocument: { uri }, position: { line, character }, context: { includeDeclaration: true } };
}

/** The declaration with the most references among the first ones, and how many they are once the server has read everything. */
export async function mostUsed(raw, workspace, most = 30) {
  const places = (await placesIn(raw, workspace, workspace.files.slice(0, 3))).slice(0, most);
  const count = async (place) =>
    (await raw.request("textDocument/references", referencesParams(place)))?.length ?? 0;
  const counted = [];
  for (const place of places) counted.push([place, await count(place)]);
  const [place, first] = counted.reduce((best, next) => (next[1] > best[1] ? next : best));
  // As many as before, three times in a row: nothing is read any more that has to do with it.
  let complete = first;
  for (let same = 0; same < 3; ) {
    await wait(500);
    const now = await count(place);
    same = now === complete ? same + 1 : 0;
    complete = now;
  }
  return { place, complete };
}
