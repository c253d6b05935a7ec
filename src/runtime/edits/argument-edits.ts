/** Reads edits from a tool's arguments: `files`, in the form of a preview, or `changes`, in LSP's form. */
import type {
  DeleteFile,
  DeleteFileOptions,
  RenameFile,
  RenameFileOptions,
} from "vscode-languageserver-protocol";
import { fieldsOf, isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { documentKey, spanNames } from "../../protocol/dialect-format.js";
import { newDocumentKey } from "../../protocol/edit-arguments.js";
import type { PathChange } from "../../workspace/edits/types.js";
import { isRange, listOf } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { EditBuilder, type ProposedEdit, type RangeEdit } from "./proposed-edit.js";

export async function editFiles(call: CallState, args: JsonObject): Promise<ProposedEdit> {
  // The arguments are about the texts as they are read here;
  // `before_sha256` says that they are the ones the client saw.
  const builder = new EditBuilder(call, undefined, undefined);
  if (Array.isArray(args.files)) {
    for (const entry of args.files) await addEntry(call, builder, entry as JsonObject);
  } else if (Array.isArray(args.document_changes) || isTable(args.changes)) {
    for (const change of listOf(args.document_changes)) await addLspChange(builder, change as JsonObject);
    for (const [name, edits] of Object.entries(isTable(args.changes) ? args.changes : {}))
      await builder.editFile(name, name, lspEdits(edits), { unit: "utf-16" });
  } else throw new Refusal("guard/invalid-arguments", "Give the edits, or the edit_token of a preview.");
  return builder.edit;
}

/** An item of `documentChanges`, whose schema was checked. */
async function addLspChange(builder: EditBuilder, change: JsonObject): Promise<void> {
  const { textDocument, edits } = change;
  const operation = lspOperation(change);
  if (operation !== undefined) return addChange(builder, operation);
  const name = String(isTable(textDocument) ? textDocument.uri : "");
  await builder.editFile(name, name, lspEdits(edits), { unit: "utf-16" });
}

function lspEdits(edits: unknown): RangeEdit[] {
  return listOf(edits).flatMap((edit) =>
    isTable(edit) && isRange(edit.range) ? [{ range: edit.range, newText: String(edit.newText) }] : [],
  );
}

/** The file operation in an item of `documentChanges`; undefined if it is none. */
export function lspOperation(change: unknown): PathChange | undefined {
  const { kind, uri, oldUri, newUri, options } = fieldsOf<RenameFile & Pick<DeleteFile, "uri">>(change);
  const set = fieldsOf<RenameFileOptions & DeleteFileOptions>(options);
  const existing = { overwrite: set.overwrite === true, ignoreIfExists: set.ignoreIfExists === true };
  if (kind === "create" && typeof uri === "string") return { kind, path: uri, text: "", ...existing };
  if (kind === "rename" && typeof oldUri === "string" && typeof newUri === "string")
    return { kind, from: oldUri, to: newUri, ...existing };
  if (kind !== "delete" || typeof uri !== "string") return undefined;
  const ignoreIfNotExists = set.ignoreIfNotExists === true;
  return { kind, path: uri, recursive: set.recursive === true, ignoreIfNotExists };
}

async function addEntry(call: CallState, builder: EditBuilder, entry: JsonObject): Promise<void> {
  const { dialect } = call.plan;
  const name = String(entry[documentKey(dialect)]);
  const problem = problemOf(entry, newDocumentKey(dialect));
  if (problem !== undefined) {
    builder.edit.refuse("guard/invalid-arguments", name, problem);
    if (entry.operation !== undefined) builder.edit.lacksOperation = true;
    return;
  }
  if (entry.operation === undefined) {
    const edits = listOf(entry.edits).map((edit) => dialectEdit(call, edit as JsonObject));
    await builder.editFile(name, name, edits, { unit: dialect.position.unit, hash: entry.before_sha256 });
    return;
  }
  await addChange(builder, pathChange(entry.operation, entry, name, String(entry[newDocumentKey(dialect)])));
}

async function addChange(builder: EditBuilder, change: PathChange): Promise<void> {
  try {
    await builder.addOperation(change);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // `workspace/edits` reports why the path is refused.
    builder.edit.changes.push(change);
  }
}

/** An edit whose range is given in the dialect's form: nested or flat, with its own names and bases. */
function dialectEdit({ plan: { dialect } }: CallState, edit: JsonObject): RangeEdit {
  const { lineBase, characterBase } = dialect.position;
  const { line, character, endLine, endCharacter } = spanNames(dialect);
  const range = isTable(edit.range) ? (edit.range as JsonObject) : undefined;
  const point = (from: Json | undefined, lineName: string, characterName: string) => ({
    line: Number(isTable(from) ? from[lineName] : Number.NaN) - lineBase,
    character: Number(isTable(from) ? from[characterName] : Number.NaN) - characterBase,
  });
  return {
    range:
      range === undefined
        ? { start: point(edit, line, character), end: point(edit, endLine, endCharacter) }
        : { start: point(range.start, line, character), end: point(range.end, line, character) },
    newText: String(edit.new_text),
  };
}

/** Which members are allowed for which kind of entry. */
const usedBy: { [member: string]: string[] } = {
  text: ["create"],
  overwrite: ["create", "rename"],
  recursive: ["delete"],
  before_sha256: ["edit"],
};

/** The error in an entry: members that are missing, contradict each other or would have no effect. */
function problemOf(entry: JsonObject, newNameKey: string): string | undefined {
  const { operation } = entry;
  if ((operation === undefined) === (entry.edits === undefined))
    return "needs either `edits` or `operation`, not both";
  const kind = operation === undefined ? "edit" : String(operation);
  const isGiven = (value: Json | undefined) => value !== undefined && value !== null && value !== false;
  const unused = Object.entries({ ...usedBy, [newNameKey]: ["rename"] }).find(
    ([member, kinds]) => isGiven(entry[member]) && !kinds.includes(kind),
  );
  if (unused !== undefined) return `has \`${unused[0]}\`, which has no effect on ${kind}`;
  const isNameless = kind === "rename" && typeof entry[newNameKey] !== "string";
  return isNameless ? "is renamed without a new name" : undefined;
}

/** The file operation that arguments describe. */
export function pathChange(kind: unknown, args: JsonObject, path: string, to = ""): PathChange {
  const options = { overwrite: args.overwrite === true, ignoreIfExists: false };
  const text = typeof args.text === "string" ? args.text : "";
  if (kind === "create") return { kind, path, text, ...options };
  if (kind === "rename") return { kind, from: path, to, ...options };
  return { kind: "delete", path, recursive: args.recursive === true, ignoreIfNotExists: false };
}
