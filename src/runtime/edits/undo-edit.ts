/** Undoes edits: the one that a call names or the last one, or those of a batch that is all or nothing. */
import type { JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { editArguments } from "../../protocol/edit-arguments.js";
import { madeAt } from "../../workspace/edits/journal.js";
import type { EditOutcome } from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import type { Normalized } from "../shapes/shape.js";
import { diagnosticsAfter, errorsBefore } from "./after-edit-diagnostics.js";
import { warnOfSaves } from "./apply.js";
import { editsOf, ProposedEdit } from "./proposed-edit.js";
import { renderApplied, summarizeApplied } from "./render-edit.js";

export function proposeUndo({ undo_token: token }: JsonObject): ProposedEdit {
  const edit = new ProposedEdit();
  edit.undo = { token: typeof token === "string" ? token : undefined };
  return edit;
}

/** Undoes an edit, or shows what that would change; without a token the last edit of the session. */
export async function undoEdit(call: CallState, given: string | undefined): Promise<Normalized> {
  const token = given ?? (await lastToken(call));
  const planned = await editsOf(call).previewUndo(token, call);
  const answer = (status: string, outcome: EditOutcome, more: JsonObject = {}) => ({
    items: renderApplied(call, outcome),
    beside: { status, summary: summarizeApplied(outcome), undoes: editNamed(call, token), ...more },
  });
  if (call.input[editArguments.dryRun] === true) return answer("preview", planned, { undo_token: token });
  const before = await errorsBefore(call, planned);
  call.signal.throwIfAborted();
  call.evidence.commit();
  const undone = await editsOf(call).undo(token, call);
  warnOfSaves(call, [undone]);
  return answer("undone", undone, await diagnosticsAfter(call, [undone], before));
}

/** The token of the session's last edit. An edit of an earlier session is not guessed: its token must be given. */
async function lastToken(call: CallState): Promise<string> {
  // From the shell, each call is a session of its own.
  const own = call.savedPreviews === undefined ? call.previews.applied : undefined;
  const token = await editsOf(call).lastUndoToken(call, own);
  if (token !== undefined) return token;
  const earlier = own && (await editsOf(call).lastUndoToken(call));
  if (earlier === undefined) throw new Refusal("edit/unknown-undo", "There is no edit to undo.");
  const message = `This session has no edit to undo. The last one is ${editNamed(call, earlier)}.`;
  const text = `To undo that one, give its undo_token "${earlier}".`;
  throw new Refusal("edit/unknown-undo", message, { nextSteps: [{ kind: "doc", text }] });
}

/** When and by which session an edit was made. */
function editNamed({ previews, savedPreviews }: CallState, token: string): string {
  const at = madeAt(token)
    .toISOString()
    .replace(/\.\d+Z$/, "Z");
  if (savedPreviews !== undefined) return `an edit made at ${at}`;
  return `an edit of ${previews.applied.has(token) ? "this" : "an earlier"} session, made at ${at}`;
}

/** Undoes edits, the last first. Returns why some cannot be undone, or undefined. */
export async function undoAll(call: CallState, tokens: readonly string[]): Promise<string | undefined> {
  const failures: string[] = [];
  for (const token of tokens.toReversed()) {
    try {
      warnOfSaves(call, [await editsOf(call).undo(token, call)]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      failures.push(`${token}: ${error.message}`);
    }
  }
  if (failures.length === 0) return undefined;
  const message = `Edits of the batch could not be undone: ${failures.join(" ")}`;
  call.evidence.warn("answer/not-undone", message);
  return message;
}
