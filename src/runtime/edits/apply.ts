/**
 * Turns a proposed edit into an answer: a preview, or what was applied, with the command of a code action. All reasons
 * against an edit are found before the first write, and the answer reports what really happened.
 */
import type { ExecuteCommandParams } from "vscode-languageserver-protocol";
import type { AnswerOptions } from "../../abi/handler.js";
import type { Template } from "../../abi/plan.js";
import type { Code } from "../../base/codes.js";
import { canonicalText, isTable, type Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { ApplyEdit } from "../../lsp/types.js";
import { editArguments } from "../../protocol/edit-arguments.js";
import { refuseEdit } from "../../workspace/edits/errors.js";
import type { Applied, ApplyOptions, EditOutcome, Preview } from "../../workspace/edits/types.js";
import { filesChangedRecently, warnOfRecentChanges } from "../ask/recent-changes.js";
import type { CallState } from "../call-state.js";
import { isAllowedCommand } from "../shapes/code-actions.js";
import type { Normalized } from "../shapes/shape.js";
import { diagnosticsAfter, errorsBefore } from "./after-edit-diagnostics.js";
import { editsOf, type ProposedEdit, reasonsAgainst, type ServerCommand } from "./proposed-edit.js";
import { renderApplied, renderPreview, summarizeApplied, summarizePreview } from "./render-edit.js";
import { readServerEdit } from "./server-edit.js";
import type { ShownPreview } from "./session-previews.js";

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
    return { items: [], beside: { status: "unchanged", summary: { files: 0, edits: 0, operations: 0 } } };
  if (options.apply !== "on_request" || input[editArguments.dryRun] !== false)
    return answerPreview(call, shown);
  checkApplicable(call, shown, input[editArguments.expected] !== undefined);
  return apply(call, shown);
}

export async function applyPreview(call: CallState, token: string): Promise<Normalized> {
  if (call.input[editArguments.dryRun] !== false)
    throw new Refusal(
      "guard/invalid-arguments",
      `${editArguments.token} needs ${editArguments.dryRun} false.`,
    );
  const binding = bindingOf(call);
  const saved = await call.savedPreviews?.find(call, token, binding);
  const shown = saved ?? call.previews.find(token, binding);
  checkApplicable(call, shown, true);
  return apply(call, shown);
}

async function answerPreview(call: CallState, shown: ShownPreview): Promise<Normalized> {
  const { preview, edit } = shown;
  const command = edit.command?.name;
  const unseen = `Applying also runs the command ${command}; what that changes is not known before.`;
  if (command !== undefined) call.evidence.warn("answer/command-unseen", unseen);
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
  const { [editArguments.token]: _, ...input } = call.input;
  const again = { ...input, [editArguments.dryRun]: true };
  const nextSteps = [{ kind: "tool" as const, tool: call.tool.name, arguments: again, why: "preview again" }];
  const refuse = (code: Code, problem: string): never => {
    throw new Refusal(code, `${problem} Nothing was changed.`, { nextSteps });
  };
  if (readiness === "indexing" || readiness === "starting")
    refuse("edit/not-ready", `The language server was ${readiness}, so this edit may be incomplete.`);
  if (hadPreview) return;
  const { doubts, toConfirm } = edit;
  if (readiness === "unknown")
    refuse("edit/not-seen", "The server does not report whether it has indexed; look at a preview first.");
  if (doubts.length > 0) refuse("edit/not-seen", `${doubts.join(" ")} Look at a preview first.`);
  if (toConfirm.length > 0)
    refuse("edit/not-seen", `The server wants this to be confirmed: ${toConfirm.join("; ")}.`);
}

async function apply(call: CallState, { preview, edit }: ShownPreview): Promise<Normalized> {
  const before = await errorsBefore(call, preview, edit.symbol);
  // After this point a cancelled call is still completed.
  call.signal.throwIfAborted();
  const applied: Applied[] = [];
  if (!isEmpty(preview)) {
    warnOfLostOwners(call, preview);
    applied.push(await applyNow(call, preview, await applyOptions(call)));
    call.previews.drop(preview.token);
  }
  const command = edit.command === undefined ? undefined : await runCommand(call, edit.command);
  for (const change of command?.applied ?? []) applied.push(change);
  const lost = applied.flatMap(({ attributesLost }) => attributesLost);
  const lostMessage = "Some extended attributes or access lists of these files could not be kept";
  warnOfFiles(call, "answer/attributes-lost", lostMessage, lost);
  warnOfSaves(call, applied);
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

/** Changes the files. From here on, a call that ends early still reports what happened. */
async function applyNow(call: CallState, preview: Preview, options: ApplyOptions): Promise<Applied> {
  call.evidence.commit();
  const applied = await editsOf(call).apply(preview, options);
  call.evidence.edited(applied.undoToken);
  call.previews.applied.add(applied.undoToken);
  return applied;
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

function warnOfLostOwners(call: CallState, { files }: Preview): void {
  const lost = files.filter(({ losesOwner }) => losesOwner).map(({ shown }) => shown);
  const message = "These files belong to another user and will belong to the user of the proxy";
  warnOfFiles(call, "answer/owner-lost", message, lost);
}

/** Names the files that other programs saved, or may have saved, while they were replaced. */
export function warnOfSaves(call: CallState, outcomes: readonly EditOutcome[]): void {
  for (const { path, message } of outcomes.flatMap(({ leftBehind }) => leftBehind))
    call.evidence.warn("answer/old-file-kept", `${path} ${message}.`);
  const unguarded = outcomes.flatMap((outcome) => outcome.unguarded);
  const message = "A save of these files by another program in the same instant may have been replaced";
  warnOfFiles(call, "answer/save-unguarded", message, unguarded);
}

function warnOfFiles({ evidence }: CallState, code: Code, message: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const more = names.length > MAX_NAMED_FILES ? ` and ${names.length - MAX_NAMED_FILES} more` : "";
  evidence.warn(code, `${message}: ${names.slice(0, MAX_NAMED_FILES).join(", ")}${more}.`);
}

/** Refuses a command that is not allowed, or skips it with a warning when the action also has an edit. */
function checkCommand({ plan, evidence }: CallState, edit: ProposedEdit): void {
  if (edit.command === undefined) return;
  const { server, name } = edit.command;
  if (isAllowedCommand(plan, server, name)) return;
  if (edit.changes.length > 0) {
    evidence.warn("answer/command-skipped", `The command ${name} of the action is not allowed.`);
    edit.command = undefined;
    return;
  }
  const text = `Add "command" to allow.effects and ${JSON.stringify(name)} to execute_commands of the server ${server.plan.id}.`;
  const message = `The action runs the command ${name}, which is not allowed.`;
  throw new Refusal("edit/command-not-allowed", message, { nextSteps: [{ kind: "config", text }] });
}

/** Runs a command. Edits that the server requests meanwhile (`workspace/applyEdit`) pass the same checks as all. */
async function runCommand(
  call: CallState,
  { server, name, arguments: args }: ServerCommand,
): Promise<{ applied: Applied[]; failure: string | undefined }> {
  const applied: Applied[] = [];
  let failure: string | undefined;
  const fail = (message: string): void => {
    failure = message;
    call.evidence.warn("answer/edit-incomplete", message);
  };
  const refuse = (failureReason: string): { applied: boolean; failureReason: string } => {
    fail(`An edit of the command was refused: ${failureReason}`);
    return { applied: false, failureReason };
  };
  const onApplyEdit: ApplyEdit = async (requested) => {
    try {
      const edit = await readServerEdit(call, server, requested, await call.pool.changeCursor());
      // Nobody can confirm anything while a command runs.
      if (edit.toConfirm.length > 0) return refuse(`it wants to be confirmed: ${edit.toConfirm.join("; ")}`);
      const preview = await editsOf(call).preview(edit.changes, call.gate);
      const [reason] = [...edit.reasons, ...preview.reasons];
      if (reason !== undefined) return refuse(`${reason.path} ${reason.message}`);
      call.signal.throwIfAborted();
      applied.push(await applyNow(call, preview, { gate: call.gate, holder: call.holder }));
      return { applied: true };
    } catch (error) {
      if (!(error instanceof Refusal)) call.log("error", "a server's edit failed", { cause: String(error) });
      return refuse(error instanceof Refusal ? error.message : "an internal error");
    }
  };
  try {
    // Tells the server the texts that the action's own edit changed.
    await call.pool.checkFiles();
    const timeoutMs = Math.max(1, Math.floor(call.remainingMs() / 2));
    const params: ExecuteCommandParams = { command: name, arguments: args };
    await server.request("workspace/executeCommand", params, { signal: call.signal, timeoutMs, onApplyEdit });
  } catch (error) {
    // Once something was changed, a failure is reported, not thrown.
    if (!(error instanceof Refusal) || !call.evidence.isCommitted) throw error;
    fail(`The command ${name} failed: ${error.message}`);
  }
  return { applied, failure };
}
