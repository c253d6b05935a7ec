/**
 * Turns a proposed edit into an answer: a preview, or what was applied. All reasons against an edit are found before the
 * first write, and the answer reports what really happened.
 */
import type { AnswerOptions } from "../../abi/handler.js";
import type { Template } from "../../abi/plan.js";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { editArguments } from "../../protocol/edit-arguments.js";
import { refuseEdit } from "../../workspace/edits/errors.js";
import type { Applied, ApplyOptions, Preview } from "../../workspace/edits/types.js";
import { filesChangedRecently, warnOfRecentChanges } from "../ask/recent-changes.js";
import type { CallState } from "../call-state.js";
import type { Normalized } from "../shapes/shape.js";
import { diagnosticsAfter, errorsBefore } from "./after-edit-diagnostics.js";
import { checkCommand, runCommand } from "./commands.js";
import { editsOf, type ProposedEdit, reasonsAgainst } from "./proposed-edit.js";
import { renderApplied, renderPreview, summarizeApplied, summarizePreview } from "./render-edit.js";
import type { ShownPreview } from "./saved-previews.js";

const MAX_NAMED_FILES = 5;

/** Previews an edit, or applies it when the call says so. */
export async function previewOrApply(
  call: CallState,
  edit: ProposedEdit,
  options: AnswerOptions,
): Promise<Normalized> {
  const preview = await editsOf(call).preview(edit.changes, call.gate);
  const reasons = reasonsAgainst(edit, preview.reasons);
  if (reasons.length > 0) throw refuseEdit(reasons);
  checkCommand(call, edit);
  if (edit.isWorkspaceWide && filesChangedRecently(call)) {
    warnOfRecentChanges(call);
    edit.doubts.push("Files changed a moment ago, and the language server may not have read them yet.");
  }
  const { evidence, input } = call;
  const readiness = evidence.serverId === null ? undefined : evidence.readiness;
  const shown: ShownPreview = { edit, preview, readiness };
  if (isEmpty(preview) && edit.command === undefined)
    return { items: [], beside: { status: "unchanged", summary: summarizePreview(preview) } };
  if (options.apply !== "on_request" || input[editArguments.dryRun] !== false)
    return answerPreview(call, shown);
  checkApplicable(call, shown, input[editArguments.expected] !== undefined);
  return apply(call, shown);
}

/** Applies the preview of a token. */
export async function applyPreview(call: CallState, token: string): Promise<Normalized> {
  if (call.input[editArguments.dryRun] !== false)
    throw new Refusal(
      "guard/invalid-arguments",
      `${editArguments.token} applies a preview; say so with ${editArguments.dryRun} false.`,
    );
  const binding = bindingOf(call);
  const saved = await call.savedPreviews?.find(call, token, binding);
  const shown = saved ?? call.previews.find(token, binding);
  checkApplicable(call, shown, true);
  return apply(call, shown);
}

/** Undoes an applied edit. */
export async function undoEdit(call: CallState, token: string): Promise<Normalized> {
  const planned = await editsOf(call).previewUndo(token, call);
  if (call.input[editArguments.dryRun] === true) {
    const beside = { status: "preview", summary: summarizeApplied(planned) };
    return { items: renderApplied(call, planned), beside };
  }
  const before = await errorsBefore(call, planned);
  call.signal.throwIfAborted();
  call.evidence.commit();
  const undone = await editsOf(call).undo(token, call);
  const diagnostics = await diagnosticsAfter(call, [undone], before);
  return {
    items: renderApplied(call, undone),
    beside: { status: "undone", summary: summarizeApplied(undone), ...diagnostics },
  };
}

async function answerPreview(call: CallState, shown: ShownPreview): Promise<Normalized> {
  const { preview, edit } = shown;
  const command = edit.command?.name;
  if (command !== undefined)
    call.evidence.warn(
      "answer/command-unseen",
      `Applying also runs the command ${command}; what that changes is not known before.`,
    );
  const binding = bindingOf(call) ?? "";
  call.previews.keep(binding, shown);
  const isUsable = (await call.savedPreviews?.keep(call, binding, shown)) ?? true;
  warnOfLostOwners(call, preview);
  const backups = plannedBackups(call, preview);
  return {
    items: renderPreview(call, preview),
    beside: {
      status: "preview",
      summary: summarizePreview(preview),
      ...(isUsable ? { edit_token: preview.token } : {}),
      ...(backups.length > 0 ? { backups } : {}),
      ...(command === undefined ? {} : { command }),
    },
  };
}

/** Refuses to apply an edit that may be incomplete, or that needs a preview and had none. */
function checkApplicable(call: CallState, { readiness, edit }: ShownPreview, hadPreview: boolean): void {
  const again: JsonObject = { ...call.input, [editArguments.dryRun]: true };
  delete again[editArguments.token];
  const nextSteps = [{ kind: "tool" as const, tool: call.tool.name, arguments: again, why: "preview again" }];
  if (readiness === "indexing" || readiness === "starting")
    throw new Refusal(
      "edit/not-ready",
      `The language server was ${readiness} when this edit was made, so it may be incomplete. Nothing was changed.`,
      { nextSteps },
    );
  const problem = hadPreview ? undefined : whyPreviewFirst(readiness, edit);
  if (problem !== undefined)
    throw new Refusal("edit/not-seen", `${problem} Nothing was changed.`, { nextSteps });
}

function whyPreviewFirst(
  readiness: ShownPreview["readiness"],
  { doubts, toConfirm }: ProposedEdit,
): string | undefined {
  if (readiness === "unknown")
    return "The language server does not report whether it has indexed; look at a preview first.";
  if (doubts.length > 0) return `${doubts.join(" ")} Look at a preview first.`;
  if (toConfirm.length > 0) return `The server wants this to be confirmed: ${toConfirm.join("; ")}.`;
  return undefined;
}

async function apply(call: CallState, { preview, edit }: ShownPreview): Promise<Normalized> {
  const before = await errorsBefore(call, preview);
  // After this point a cancelled call is still completed.
  call.signal.throwIfAborted();
  const applied: Applied[] = [];
  if (!isEmpty(preview)) {
    call.evidence.commit();
    warnOfLostOwners(call, preview);
    applied.push(await editsOf(call).apply(preview, await applyOptions(call)));
    call.previews.drop(preview.token);
  }
  const command = edit.command === undefined ? undefined : await runCommand(call, edit.command);
  applied.push(...(command?.applied ?? []));
  warnOfLostAttributes(call, applied);
  const files = applied.flatMap((one) => one.files);
  const operations = applied.flatMap((one) => one.operations);
  const undoTokens = applied.map(({ undoToken }) => undoToken).reverse();
  const backups = applied.flatMap((one) => one.backups);
  return {
    items: renderApplied(call, { files, operations }),
    beside: {
      status: applied.length === 0 ? "unchanged" : "applied",
      summary: summarizeApplied({ files, operations }),
      ...(undoTokens[0] === undefined ? {} : { undo_token: undoTokens[0] }),
      ...(undoTokens.length > 1 ? { undo_tokens: undoTokens } : {}),
      ...(backups.length > 0 ? { backups } : {}),
      ...(edit.command === undefined ? {} : { command: edit.command.name }),
      ...(command?.failure === undefined ? {} : { command_failed: command.failure }),
      ...(await diagnosticsAfter(call, applied, before, edit.unsureServers)),
    },
  };
}

async function applyOptions(call: CallState): Promise<ApplyOptions> {
  const options: ApplyOptions = { gate: call.gate, holder: call.holder };
  const expected = call.input[editArguments.expected];
  if (isTable(expected)) {
    options.expected = {};
    for (const [name, hash] of Object.entries(expected))
      options.expected[(await call.gate.admit(name)).shown] = String(hash);
  }
  const suffix = backupSuffix(call);
  if (suffix !== undefined) options.backupSuffix = suffix;
  return options;
}

/** Whether every file keeps its content and path. */
function isEmpty({ files, operations }: Preview): boolean {
  return (
    operations.every(({ skipped }) => skipped) &&
    files.every(({ beforeSha256, afterSha256 }) => beforeSha256 === afterSha256)
  );
}

/** The tool and the arguments that define the edit; undefined when a call has only a token. */
function bindingOf({ tool, input, plan }: CallState): string | undefined {
  const { size, cursor } = plan.dialect.listing;
  const ignored: readonly string[] = [size, cursor, ...Object.values(editArguments)];
  const defining = Object.entries(input).filter(([name]) => !ignored.includes(name));
  return defining.length === 0 ? undefined : canonicalText([tool.name, Object.fromEntries(defining)]);
}

/** The suffix of backup copies; undefined when the tool makes none. */
function backupSuffix(call: CallState): string | undefined {
  const { backups } = call.tool.output;
  if (backups === null || settingOf(call, backups.create) !== true) return undefined;
  const suffix = settingOf(call, backups.suffix);
  return typeof suffix === "string" ? suffix : undefined;
}

/** The value of a setting that the tool fixes or takes from an argument. */
function settingOf({ input }: CallState, template: Template): Json | undefined {
  if (template.kind === "literal") return template.value;
  return template.kind === "ref" && template.ref.name !== null ? input[template.ref.name] : undefined;
}

function plannedBackups(call: CallState, { files }: Preview): string[] {
  const suffix = backupSuffix(call);
  if (suffix === undefined) return [];
  const edited = files.filter(
    ({ beforeSha256: before, afterSha256: after }) => before !== null && after !== null && before !== after,
  );
  return edited.map(({ shown }) => shown + suffix);
}

function warnOfLostOwners({ evidence }: CallState, { files }: Preview): void {
  const lost = files.filter(({ losesOwner }) => losesOwner).map(({ shown }) => shown);
  if (lost.length > 0)
    evidence.warn(
      "answer/owner-lost",
      `These files belong to another user and will belong to the user of the proxy: ${firstOf(lost)}.`,
    );
}

function warnOfLostAttributes({ evidence }: CallState, applied: Applied[]): void {
  const lost = applied.flatMap(({ attributesLost }) => attributesLost);
  if (lost.length > 0)
    evidence.warn(
      "answer/attributes-lost",
      `Some extended attributes or access lists of these files could not be kept: ${firstOf(lost)}.`,
    );
}

function firstOf(names: readonly string[]): string {
  const more = names.length > MAX_NAMED_FILES ? ` and ${names.length - MAX_NAMED_FILES} more` : "";
  return `${names.slice(0, MAX_NAMED_FILES).join(", ")}${more}`;
}
