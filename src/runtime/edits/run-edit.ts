/** Makes the edit that the reply of a tool's last step proposes: previews it, applies it, or undoes an earlier one. */
import type { AnswerOptions } from "../../abi/handler.js";
import { invalidReply, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Normalized } from "../shapes/shape.js";
import { previewOrApply } from "./apply.js";
import { ProposedEdit } from "./proposed-edit.js";
import { readServerEdit } from "./server-edit.js";
import { undoEdit } from "./undo-edit.js";

export async function runEdit(
  call: CallState,
  { parts }: ReplyData,
  options: AnswerOptions,
): Promise<Normalized> {
  const edit = new ProposedEdit();
  for (const { server, value } of parts) {
    if (value instanceof ProposedEdit) edit.merge(value);
    else if (server === undefined) throw invalidReply(server, "an edit");
    else edit.merge(await readServerEdit(call, server, value, call.changeCursor));
  }
  if (edit.undo !== undefined) return undoEdit(call, edit.undo.token);
  return previewOrApply(call, edit, options);
}
