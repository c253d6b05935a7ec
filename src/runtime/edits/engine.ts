/**
 * Everything that is needed to edit. It is imported when an edit is asked for, so that sessions which only read start
 * without it.
 */
export { openEdits, recoverEdits } from "../../workspace/edits/edits.js";
export { applyPreview, previewOrApply } from "./apply.js";
export { editFiles } from "./argument-edits.js";
export { createFile, deleteFile, renameFile } from "./file-edits.js";
export { ProposedEdit } from "./proposed-edit.js";
export { SavedPreviews } from "./saved-previews.js";
export { readServerEdit } from "./server-edit.js";
export { deleteSymbol, insertAfterSymbol, insertBeforeSymbol, replaceSymbol } from "./symbol-edits.js";
export { undoAll, undoEdit } from "./undo-edit.js";
