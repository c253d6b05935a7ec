/**
 * An edit, shown or done. Its files stand under `edit.files`, operations on names first: path, operation?, new_path?,
 * before_sha256, after_sha256, edit_count, edits? [<range>, new_text, note?, continues?], diff?, part?, parts?, cut?; beside them status, summary,
 * edit_token? (of a preview), backups?, undo_token?, command_failed? (why) and diagnostics? (of what was done), actions?
 * (to choose from).
 */
import type { DialectPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { newDocumentKey } from "../edit-arguments.js";
import { closed, documentFields, type Fields, joinFields, spanFields } from "../spelling.js";
import { codeActionsFacts } from "./code-actions.js";
import { diagnosticFields } from "./diagnostics.js";
import { optional, required, type ShapeFacts, text, texts } from "./facts.js";

const count = { type: "integer", minimum: 0 };
const flag = { type: "boolean" };
const hash: JsonObject = { type: ["string", "null"], pattern: "^[0-9a-f]{64}$" };

/** The facts of `workspace_edit`. */
export const workspaceEditFacts: ShapeFacts = {
  description:
    "An edit: a preview with an `edit_token`, or what was done with an `undo_token` and the errors before and after.",
  list: "files",
  within: "edit",
  counted: true,
  uncapped: true,
  // Operations in the order in which they happen, then files by path.
  order: [],
  item: (dialect) => closed(fileFields(dialect)),
  beside: (dialect, output) =>
    joinFields(
      required({
        status: { enum: ["preview", "applied", "undone", "unchanged", "choose"] },
        summary: closed(required({ files: count, edits: count, operations: count })),
      }),
      optional({
        edit_token: text,
        undo_token: text,
        undo_tokens: texts,
        backups: texts,
        command: text,
        command_failed: text,
        actions: { type: "array", items: codeActionsFacts.item(dialect, output) },
        diagnostics: closed(deltaFields(dialect)),
      }),
    ),
};

/** The facts of `text_edits`: the edits of one document, told in the same form. */
export const textEditsFacts: ShapeFacts = workspaceEditFacts;

function fileFields(dialect: DialectPlan): Fields {
  const edit = closed(
    joinFields(spanFields(dialect), required({ new_text: text }), optional({ note: text, continues: flag })),
  );
  return joinFields(
    documentFields(dialect),
    optional({
      operation: { enum: ["create", "rename", "delete"] },
      [newDocumentKey(dialect)]: text,
      folder: flag,
      files: count,
      overwrites: flag,
      skipped: flag,
      note: text,
      before_sha256: hash,
      after_sha256: hash,
      edit_count: count,
      edits: { type: "array", items: edit },
      part: count,
      parts: count,
      diff: text,
      cut: flag,
      other_links: count,
    }),
  );
}

/** What an edit did to the errors; `errors` are those that there are now. */
function deltaFields(dialect: DialectPlan): Fields {
  const list = {
    type: "array",
    items: closed(joinFields(documentFields(dialect), diagnosticFields(dialect))),
  };
  return joinFields(
    required({ status: { enum: ["known", "unknown"] } }),
    optional({ why: text }),
    required({ introduced: list, resolved: list, errors: list, not_shown: count }),
  );
}
