/** Shapes of code actions and edits. */
import type { DialectPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { documentFields, spanFields } from "../dialect-format.js";
import { newDocumentKey } from "../edit-arguments.js";
import {
  closed,
  count,
  type Fields,
  flag,
  joinFields,
  none,
  optional,
  required,
  text,
  texts,
} from "../schema-fields.js";
import { diagnosticFields } from "./diagnostics.js";
import type { ShapeFacts } from "./facts.js";

const actionEdit = closed(required({ files: texts, edits: count }), optional({ outside: count }));

/** Quick fixes and refactorings that a server offers. */
export const codeActionsFacts: ShapeFacts = {
  list: "actions",
  counted: true,
  // The shape sorts: preferred actions first, disabled ones last.
  order: [],
  item: () =>
    closed(
      required({ id: text, title: text, is_preferred: flag }),
      optional({ kind: text, disabled: text, fixes: texts, command: text, edit: actionEdit }),
    ),
};

/** An edit: a preview with an `edit_token`, or an applied edit with an `undo_token` and the errors before and after. */
export const workspaceEditFacts: ShapeFacts = {
  list: "files",
  within: "edit",
  counted: true,
  uncapped: true,
  // The shape sorts: operations on files in the order they are done, then edited files by path.
  order: [],
  item: (dialect) => closed(fileFields(dialect)),
  otherMembers: (dialect, output) =>
    joinFields(
      required({
        status: { enum: ["preview", "applied", "undone", "unchanged", "choose"] },
        summary: closed(required({ files: count, edits: count, operations: count })),
      }),
      output.outcomes === "applied"
        ? joinFields(required({ applied: flag }), optional({ failure_reason: text }))
        : none,
      optional({
        edit_token: text,
        undo_token: text,
        undo_tokens: texts,
        undoes: text,
        backups: texts,
        command: text,
        command_failed: text,
        actions: { type: "array", items: codeActionsFacts.item(dialect, output) },
        diagnostics: closed(deltaFields(dialect)),
      }),
    ),
};

/** The edits of one document, in the same form. */
export const textEditsFacts: ShapeFacts = workspaceEditFacts;

const hash: JsonObject = { type: ["string", "null"], pattern: "^[0-9a-f]{64}$" };

function fileFields(dialect: DialectPlan): Fields {
  const edit = closed(
    spanFields(dialect),
    required({ new_text: text }),
    optional({ note: text, continues: flag }),
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

/** How an edit changed the errors; `errors` are the errors afterwards. */
function deltaFields(dialect: DialectPlan): Fields {
  const list = {
    type: "array",
    items: closed(documentFields(dialect), diagnosticFields(dialect)),
  };
  return joinFields(
    required({ status: { enum: ["known", "unknown"] } }),
    optional({ why: text }),
    required({ introduced: list, resolved: list, errors: list, not_shown: count }),
  );
}
