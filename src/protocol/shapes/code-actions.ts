/** What a server offers to do: id, title, kind?, is_preferred, disabled?, fixes?, command?, edit?: { files, edits, outside? }. */
import { closed, joinFields } from "../spelling.js";
import { none, optional, required, type ShapeFacts, text, texts } from "./facts.js";

const count = { type: "integer", minimum: 0 };
const edit = closed(joinFields(required({ files: texts, edits: count }), optional({ outside: count })));

/** The facts of `code_actions`. */
export const codeActionsFacts: ShapeFacts = {
  description: "Quick fixes and refactorings on offer; listing them changes nothing.",
  list: "actions",
  counted: true,
  // What is disabled comes last, and what the server prefers first.
  order: [],
  item: () =>
    closed(
      joinFields(
        required({ id: text, title: text, is_preferred: { type: "boolean" } }),
        optional({ kind: text, disabled: text, fixes: texts, command: text, edit }),
      ),
    ),
  beside: () => none,
};
