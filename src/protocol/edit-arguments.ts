/** The arguments of tools that edit: the ones that all of them have, and the two forms of a list of edits. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { closed, documentFields, documentKey, joinFields, spanFields } from "./spelling.js";

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
const flag: JsonObject = { type: "boolean" };

/** A list of files with edits and operations, in the form of answers. */
export function fileEditsSchema(dialect: DialectPlan): JsonObject {
  const edit = closed(
    joinFields(spanFields(dialect), { properties: { new_text: text }, required: ["new_text"] }),
  );
  return {
    type: "array",
    minItems: 1,
    maxItems: mostEdits,
    items: closed(
      joinFields(documentFields(dialect), {
        properties: {
          before_sha256: { type: "string" },
          edits: { type: "array", maxItems: mostEdits, items: edit },
          operation: { type: "string", enum: ["create", "rename", "delete"] },
          [newDocumentKey(dialect)]: { type: "string" },
          text,
          overwrite: flag,
          recursive: flag,
        },
        required: [],
      }),
    ),
  };
}

const point = closed({
  properties: { line: { type: "integer", minimum: 0 }, character: { type: "integer", minimum: 0 } },
  required: ["line", "character"],
});

/** The `changes` of LSP: file → edits, zero-based, in UTF-16 units. */
export const textEditsSchema: JsonObject = {
  type: "object",
  minProperties: 1,
  maxProperties: mostEdits,
  additionalProperties: {
    type: "array",
    maxItems: mostEdits,
    items: closed({
      properties: {
        range: closed({ properties: { start: point, end: point }, required: ["start", "end"] }),
        newText: text,
      },
      required: ["range", "newText"],
    }),
  },
};
