/** The runtime actions that propose an edit, by name. */
import type { RuntimeAction } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import type { CallState } from "../call-state.js";
import { editFiles } from "./argument-edits.js";
import { createFile, deleteFile, renameFile } from "./file-edits.js";
import { type ProposedEdit, UndoRequest } from "./proposed-edit.js";
import { insertAfterSymbol, insertBeforeSymbol, replaceSymbol } from "./symbol-edits.js";

export const editActions = {
  edit_files: editFiles,
  create_file: createFile,
  rename_file: renameFile,
  delete_file: deleteFile,
  replace_symbol: replaceSymbol,
  insert_before_symbol: insertBeforeSymbol,
  insert_after_symbol: insertAfterSymbol,
  undo_edit: async (_call, args) => new UndoRequest(String(args.undo_token ?? "")),
} satisfies {
  [action in RuntimeAction]?: (call: CallState, args: JsonObject) => Promise<ProposedEdit | UndoRequest>;
};
