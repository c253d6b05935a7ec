/**
 * Warns when the old name of a rename also occurs in files that the edit leaves as they are. Servers do not find every
 * use: those of CommonJS modules, of files that a project's own settings leave out, of other languages' templates.
 */
import { isTable } from "../../base/json.js";
import { pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import { Turns } from "../../base/timing.js";
import { plural } from "../../base/words.js";
import { readText } from "../../lsp/documents/read-text.js";
import type { ReplyPart } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { isDeclaredOutsideFunctions } from "./find-symbol.js";
import type { Target } from "./target.js";
import { hasWord, wordAt } from "./words.js";

/** More files are not searched. */
const MAX_FILES = 5_000;
const MAX_BYTES = 32_000_000;
const MAX_SHOWN = 5;

export async function warnOfMissedUses(call: CallState, target: Target, parts: ReplyPart[]): Promise<void> {
  const { document, place } = target;
  const name = place && wordAt(document.lines.line(place.line), place.character)?.text;
  const changed = new Set(parts.flatMap(({ value }) => urisIn(value)).map((uri) => pathOfUri(uri)));
  if (name === undefined || changed.size === 0) return;
  // The name of a local variable means other things in other files.
  if (changed.size === 1 && !(await isDeclaredOutsideFunctions(call, target, name))) return;
  const found = await filesWith(call, target, name, changed);
  if (found.length === 0) return;
  const shown = found.slice(0, MAX_SHOWN).map((path) => call.gate.check(path));
  const names = shown.flatMap((file) => (file instanceof Refusal ? [] : [file.shown]));
  const more = found.length > names.length ? ` and ${found.length - names.length} more` : "";
  call.evidence.warn(
    "answer/name-elsewhere",
    `${name} also occurs in ${plural(found.length, "file")} that this edit does not change: ${names.join(", ")}${more}. Check whether the same symbol is meant.`,
    { files: names, count: found.length },
  );
}

/** The files that a workspace edit changes. */
function urisIn(edit: unknown): string[] {
  if (!isTable(edit)) return [];
  const documents = Array.isArray(edit.documentChanges) ? edit.documentChanges : [];
  const uris = documents.flatMap((change) =>
    isTable(change) && isTable(change.textDocument) ? [change.textDocument.uri] : [],
  );
  return [...uris.map(String), ...Object.keys(isTable(edit.changes) ? edit.changes : {})];
}

/** Other files of the same servers that contain the name, in the order of a walk. */
async function filesWith(
  call: CallState,
  { candidates }: Target,
  name: string,
  changed: ReadonlySet<string | undefined>,
): Promise<string[]> {
  const contains = hasWord(name);
  const turns = new Turns(call.signal);
  const found: string[] = [];
  let bytes = 0;
  for (const path of await call.samples.filesOf(candidates.servers, MAX_FILES)) {
    if (changed.has(path) || bytes > MAX_BYTES) continue;
    const text = (await readText(path, path, MAX_BYTES).catch(() => undefined))?.lines.text ?? "";
    bytes += text.length;
    if (contains(text)) found.push(path);
    if (turns.isDue) await turns.yield();
  }
  return found;
}
