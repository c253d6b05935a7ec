/** The arguments of tools that edit: those that every one of them has, and the two ways of writing edits down. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { closed, documentFields, documentKey, joinFields, spanFields } from "./spelling.js";

/** The arguments of every tool whose edit may be applied. */
export const editArguments = {
  dryRun: "dry_run",
  token: "edit_token",
  expected: "expected_before_sha256",
} as const;

/** The member that gives a file's new name. */
export function newDocumentKey(dialect: DialectPlan): string {
  return `new_${documentKey(dialect)}`;
}

const mostEdits = 10_000;
const text: JsonObject = { type: "string", maxLength: 1_000_000 };
const flag: JsonObject = { type: "boolean" };

/** Files with their edits and operations, as answers spell them. */
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

/** LSP's own `changes`: file → edits, counted from 0 in UTF-16 units. */
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
