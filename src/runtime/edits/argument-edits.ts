/** Edits that a call writes down itself: as previews spell them, or as LSP does. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { ColumnUnit } from "../../base/text.js";
import { newDocumentKey } from "../../protocol/edit-arguments.js";
import { documentKey, spanNames } from "../../protocol/spelling.js";
import type { Change } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { isRange, type LspRange, listOf } from "../lsp-values.js";
import { Draft, predicate } from "./draft.js";
import { exactExtent } from "./offsets.js";
import { EditTexts } from "./texts.js";

interface OwnEdit {
  range: LspRange;
  newText: string;
}

/** The draft of the argument `files` (as previews spell edits) or `changes` (as LSP does). */
export async function editFiles(call: CallState, args: JsonObject): Promise<Draft> {
  const own = new OwnEdits(call);
  if (Array.isArray(args.files)) for (const entry of args.files) await own.entry(entry as JsonObject);
  else if (isTable(args.changes))
    for (const [name, edits] of Object.entries(args.changes))
      await own.edit(name, lspEdits(edits), "utf-16", undefined);
  else throw new Refusal("guard/invalid-arguments", "Give the edits, or the edit_token of a preview.");
  return own.draft;
}

class OwnEdits {
  readonly draft = new Draft();
  readonly #texts: EditTexts;

  constructor(private readonly call: CallState) {
    this.#texts = new EditTexts(call, undefined, call.since);
  }

  async entry(entry: JsonObject): Promise<void> {
    const { length } = this.draft.changes;
    await this.file(entry);
    const isLeftOut = this.draft.changes.length === length;
    if (isLeftOut && entry.operation !== undefined) this.draft.lacksOperation = true;
  }

  async file(entry: JsonObject): Promise<void> {
    const { dialect } = this.call.plan;
    const name = String(entry[documentKey(dialect)]);
    const unused = unusedIn(entry, newDocumentKey(dialect));
    if (unused !== undefined) {
      this.draft.refuse("guard/invalid-arguments", name, unused);
      return;
    }
    if (entry.operation === undefined) {
      const edits = listOf(entry.edits).map((edit) => this.#spelt(edit as JsonObject));
      await this.edit(name, edits, dialect.position.unit, entry.before_sha256);
      return;
    }
    const change = operationOf(entry, name, entry[newDocumentKey(dialect)]);
    if (change === undefined)
      this.draft.refuse("guard/invalid-arguments", name, "is renamed without a new name");
    else await this.#operate(change);
  }

  async edit(name: string, edits: OwnEdit[], unit: ColumnUnit, expected: Json | undefined): Promise<void> {
    let shown = name;
    try {
      const admitted = await this.call.gate.admit(name);
      shown = admitted.shown;
      const text = await this.#texts.of(admitted, null);
      if (expected !== undefined && expected !== text.hash)
        throw new Refusal("edit/changed", "does not have the hash that was given for it");
      const changes = edits.map(({ range, newText }) => {
        const extent = exactExtent(text.lines, range, unit);
        if (extent === undefined) throw new Refusal("edit/out-of-range", "does not have a range of the edit");
        return { ...extent, newText };
      });
      this.draft.changes.push({ kind: "edit", path: admitted.path, sha256: text.hash, changes });
    } catch (error) {
      this.#refuse(error, shown);
    }
  }

  async #operate(change: Change): Promise<void> {
    this.draft.changes.push(change);
    try {
      const { gate } = this.call;
      const at = async (name: string) => (await gate.admitEntry(name)).path;
      if (change.kind === "create") this.#texts.created((await gate.admit(change.path)).path, change.text);
      if (change.kind === "rename") this.#texts.renamed(await at(change.from), await at(change.to));
    } catch (error) {
      // The engine gives the reason; here only what comes after must not be read wrongly.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** A range as the dialect spells it. */
  #spelt(edit: JsonObject): OwnEdit {
    const { position } = this.call.plan.dialect;
    const { line, character, endLine, endCharacter } = spanNames(this.call.plan.dialect);
    const range = isTable(edit.range) ? (edit.range as JsonObject) : undefined;
    const point = (from: Json | undefined, lineName: string, characterName: string) => ({
      line: Number(isTable(from) ? from[lineName] : Number.NaN) - position.lineBase,
      character: Number(isTable(from) ? from[characterName] : Number.NaN) - position.characterBase,
    });
    return {
      range:
        range === undefined
          ? { start: point(edit, line, character), end: point(edit, endLine, endCharacter) }
          : { start: point(range.start, line, character), end: point(range.end, line, character) },
      newText: String(edit.new_text),
    };
  }

  #refuse(error: unknown, shown: string): void {
    if (!(error instanceof Refusal)) throw error;
    this.draft.refuse(error.code, shown, predicate(error, shown));
  }
}

/** What contradicts the operation, or would have no effect without one; undefined when all is used. */
function unusedIn(entry: JsonObject, newName: string): string | undefined {
  const { operation } = entry;
  if (operation === undefined && entry.edits === undefined)
    return "has neither edits nor an operation; `operation` says what is to be done with it";
  if (operation !== undefined && entry.edits !== undefined) return "has edits and an operation in one entry";
  const used: { [member: string]: string[] } = {
    text: ["create"],
    overwrite: ["create", "rename"],
    recursive: ["delete"],
    [newName]: ["rename"],
    before_sha256: ["edit"],
  };
  const done = operation === undefined ? "edit" : String(operation);
  const [unused] = Object.keys(used).filter((name) => isGiven(entry[name]) && !used[name]?.includes(done));
  return unused === undefined ? undefined : `has \`${unused}\`, which means nothing for ${done}`;
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false;
}

function operationOf(entry: JsonObject, path: string, to: Json | undefined): Change | undefined {
  const overwrite = entry.overwrite === true;
  switch (entry.operation) {
    case "create": {
      const text = typeof entry.text === "string" ? entry.text : "";
      return { kind: "create", path, text, overwrite, ignoreIfExists: false };
    }
    case "rename":
      return typeof to === "string"
        ? { kind: "rename", from: path, to, overwrite, ignoreIfExists: false }
        : undefined;
    default:
      return { kind: "delete", path, recursive: entry.recursive === true, ignoreIfNotExists: false };
  }
}

function lspEdits(edits: unknown): OwnEdit[] {
  return listOf(edits).flatMap((edit) =>
    isTable(edit) && isRange(edit.range) ? [{ range: edit.range, newText: String(edit.newText) }] : [],
  );
}
