/** The arguments of tools that edit: the ones that all of them have, and the three forms of a list of edits. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { documentFields, documentKey, spanFields } from "./dialect-format.js";
import { closed, flag, optional, required } from "./schema-fields.js";

/** Arguments of all tools that can apply an edit. */
export const editArguments = {
  dryRun: "dry_run",
  token: "edit_token",
  expected: "expected_before_sha256",
} as const;

/** The descriptions of the arguments of a batch. */
export const batchArgumentTexts = {
  parallel: "Run in parallel instead of in sequence; default false.",
  stopOnError: "After a failure, skip calls that have not started; default true.",
  atomic: "Undo all edits unless every call succeeds; default false.",
  dryRun: "Only preview edits; default false.",
} as const;

/** The member that holds the new name of a file. */
export function newDocumentKey(dialect: DialectPlan): string {
  return `new_${documentKey(dialect)}`;
}

const mostEdits = 10_000;
const text: JsonObject = { type: "string", maxLength: 1_000_000 };

/** A list of files with edits and operations, in the form of answers. */
export function fileEditsSchema(dialect: DialectPlan): JsonObject {
  const edit = closed(spanFields(dialect), required({ new_text: text }));
  const file = closed(
    documentFields(dialect),
    optional({
      before_sha256: { type: "string" },
      edits: { type: "array", maxItems: mostEdits, items: edit },
      operation: { type: "string", enum: ["create", "rename", "delete"] },
      [newDocumentKey(dialect)]: { type: "string" },
      text,
      overwrite: flag,
      recursive: flag,
    }),
  );
  return { type: "array", minItems: 1, maxItems: mostEdits, items: file };
}

const index: JsonObject = { type: "integer", minimum: 0 };
const point = closed(required({ line: index, character: index }));
const textEdit = closed(required({ range: closed(required({ start: point, end: point })), newText: text }));

const uri: JsonObject = { type: "string", minLength: 1, maxLength: 4096 };
const options = (...names: string[]) =>
  optional({ options: closed(optional(Object.fromEntries(names.map((name) => [name, flag])))) });
const operation = (kind: string, uris: readonly string[], ...names: string[]) =>
  closed(
    required({ kind: { const: kind }, ...Object.fromEntries(uris.map((name) => [name, uri])) }),
    options(...names),
  );
const textDocument = closed(required({ uri }), optional({ version: { type: ["integer", "null"] } }));

/** The `documentChanges` of LSP: edits of files and operations, in order. */
export const documentChangesSchema: JsonObject = {
  type: "array",
  minItems: 1,
  maxItems: mostEdits,
  items: {
    anyOf: [
      closed(required({ textDocument, edits: { type: "array", maxItems: mostEdits, items: textEdit } })),
      operation("create", ["uri"], "overwrite", "ignoreIfExists"),
      operation("rename", ["oldUri", "newUri"], "overwrite", "ignoreIfExists"),
      operation("delete", ["uri"], "recursive", "ignoreIfNotExists"),
    ],
  },
};

/** The `changes` of LSP: file → edits, zero-based, in UTF-16 units. */
export const textEditsSchema: JsonObject = {
  type: "object",
  minProperties: 1,
  maxProperties: mostEdits,
  additionalProperties: { type: "array", maxItems: mostEdits, items: textEdit },
};
