/** The arguments of tools that edit: the ones that all of them have, and the two forms of a list of edits. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { documentFields, documentKey, spanFields } from "./dialect-format.js";
import { closed, flag, optional, required } from "./schema-fields.js";

/** Arguments of every tool whose edit a call may apply. */
export const editArguments = {
  dryRun: "dry_run",
  token: "edit_token",
  expected: "expected_before_sha256",
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

/** The `changes` of LSP: file → edits, zero-based, in UTF-16 units. */
export const textEditsSchema: JsonObject = {
  type: "object",
  minProperties: 1,
  maxProperties: mostEdits,
  additionalProperties: { type: "array", maxItems: mostEdits, items: textEdit },
};
