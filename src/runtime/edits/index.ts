/**
 * Everything that is needed to edit. It is imported when an edit is asked for, so that sessions which only read start
 * without it.
 */
export { openEdits, recoverEdits } from "../../workspace/edits/edits.js";
export { applyPreview } from "./apply.js";
export { editFiles } from "./argument-edits.js";
export { createFile, deleteFile, renameFile } from "./file-edits.js";
export { runEdit } from "./run-edit.js";
export { SavedPreviews } from "./saved-previews.js";
export { deleteSymbol, insertAfterSymbol, insertBeforeSymbol, replaceSymbol } from "./symbol-edits.js";
export { proposeUndo, undoAll } from "./undo-edit.js";
