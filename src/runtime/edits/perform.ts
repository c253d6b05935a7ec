/**
 * From a draft to its preview, or to the deed. Whatever a call asks, the road is the same: every reason against the edit
 * is found before the first write, an edit is applied whole or not at all, and what is told afterwards is what happened.
 */
import type { AnswerOptions } from "../../abi/handler.js";
import type { JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { editArguments } from "../../protocol/edit-arguments.js";
import { refuseEdit } from "../../workspace/edits/reasons.js";
import type { Applied, ApplyOptions, Preview } from "../../workspace/edits/types.js";
import { filesChangedRecently, warnOfRecentChanges } from "../ask/recent-changes.js";
import type { CallState } from "../call-state.js";
import type { Normalized } from "../shapes/shape.js";
import { aftermath, lookBefore } from "./aftermath.js";
import { backupSuffix, plannedBackups } from "./backups.js";
import { checkCommand, runCommand } from "./commands.js";
import { type Draft, reasonsAgainst } from "./draft.js";
import { editsOf } from "./engine.js";
import { type Held, HeldPreviews } from "./held.js";
import { tellBared, tellOwners } from "./owners.js";
import { spellApplied, spellPreview, summaryOfApplied, summaryOfPreview } from "./spell.js";

/** The answer to a draft: a preview, or what was done when the call asks for that. */
export async function perform(call: CallState, draft: Draft, options: AnswerOptions): Promise<Normalized> {
  const preview = await editsOf(call).preview(draft.changes, call.gate);
  const reasons = reasonsAgainst(draft, preview.reasons);
  if (reasons.length > 0) throw refuseEdit(reasons);
  checkCommand(call, draft);
  if (draft.isWide && filesChangedRecently(call)) {
    warnOfRecentChanges(call);
    draft.doubts.push("Files changed a moment ago, and the language server may not have taken them in yet.");
  }
  const held: Held = { draft, preview, readiness: readinessOf(call) };
  if (isNothing(preview) && draft.command === undefined)
    return { items: [], beside: { status: "unchanged", summary: summaryOfPreview(preview) } };
  const isAsked = options.apply === "on_request" && call.input[editArguments.dryRun] === false;
  if (!isAsked) return await show(call, held);
  const isSeen = call.input[editArguments.expected] !== undefined;
  checkReady(call, held, isSeen);
  return apply(call, held);
}

/** Applies the preview that a token stands for. */
export async function performHeld(call: CallState, token: string): Promise<Normalized> {
  if (call.input[editArguments.dryRun] !== false)
    throw new Refusal(
      "guard/invalid-arguments",
      `${editArguments.token} applies a preview; say so with ${editArguments.dryRun} false.`,
    );
  const binding = bindingOf(call);
  const held = (await call.lasting?.find(call, token, binding)) ?? call.previews.find(token, binding);
  checkReady(call, held, true);
  return apply(call, held);
}

/** Takes an applied edit back, whole. */
export async function performUndo(call: CallState, token: string): Promise<Normalized> {
  const shown = await editsOf(call).previewUndo(token, call);
  if (call.input[editArguments.dryRun] === true)
    return {
      items: spellApplied(call, shown),
      beside: { status: "preview", summary: summaryOfApplied(shown) },
    };
  const before = await lookBefore(call, shown);
  call.signal.throwIfAborted();
  call.evidence.commit();
  const undone = await editsOf(call).undo(token, call);
  return {
    items: spellApplied(call, undone),
    beside: {
      status: "undone",
      summary: summaryOfApplied(undone),
      ...(await aftermath(call, [undone], before)),
    },
  };
}

async function show(call: CallState, held: Held): Promise<Normalized> {
  const { preview, draft } = held;
  if (draft.command !== undefined)
    call.evidence.warn(
      "answer/command-unseen",
      `Applied, it also runs the command ${draft.command.name}; what that changes is not known before.`,
    );
  const binding = bindingOf(call) ?? "";
  call.previews.keep(binding, held);
  const isUsable = (await call.lasting?.keep(call, binding, held)) ?? true;
  tellOwners(call, preview);
  const backups = plannedBackups(call, preview);
  return {
    items: spellPreview(call, preview),
    beside: {
      status: "preview",
      summary: summaryOfPreview(preview),
      ...(isUsable ? { edit_token: preview.token } : {}),
      ...(backups.length > 0 ? { backups } : {}),
      ...(draft.command === undefined ? {} : { command: draft.command.name }),
    },
  };
}

/** An edit that may be partial, or that nobody has looked at though somebody should, is not applied. */
function checkReady(call: CallState, { readiness, draft }: Held, isSeen: boolean): void {
  const again: JsonObject = { ...call.input, [editArguments.dryRun]: true };
  delete again[editArguments.token];
  const nextSteps = [{ kind: "tool" as const, tool: call.tool.name, arguments: again, why: "preview again" }];
  if (readiness === "indexing" || readiness === "starting")
    throw new Refusal(
      "edit/not-ready",
      `The language server was ${readiness} when this edit was made, so it may be incomplete. Nothing was changed.`,
      { nextSteps },
    );
  if (isSeen) return;
  if (readiness === "unknown")
    throw new Refusal(
      "edit/not-seen",
      "The language server does not say whether it has indexed; look at a preview first. Nothing was changed.",
      { nextSteps },
    );
  if (draft.doubts.length > 0)
    throw new Refusal(
      "edit/not-seen",
      `${draft.doubts.join(" ")} Look at a preview first. Nothing was changed.`,
      { nextSteps },
    );
  if (draft.toConfirm.length > 0)
    throw new Refusal(
      "edit/not-seen",
      `The server wants to have this confirmed: ${draft.toConfirm.join("; ")}. Nothing was changed.`,
      { nextSteps },
    );
}

async function apply(call: CallState, held: Held): Promise<Normalized> {
  const { preview, draft } = held;
  const before = await lookBefore(call, preview);
  // Nothing is written for somebody who has left.
  call.signal.throwIfAborted();
  const done: Applied[] = [];
  if (!isNothing(preview)) {
    call.evidence.commit();
    tellOwners(call, preview);
    done.push(await editsOf(call).apply(preview.token, await applyOptions(call)));
  }
  const command = draft.command === undefined ? undefined : await runCommand(call, draft.command);
  done.push(...(command?.done ?? []));
  for (const applied of done) tellBared(call, applied);
  return told(call, held, done, {
    ...(command?.failure === undefined ? {} : { command_failed: command.failure }),
    ...(await aftermath(call, done, before, draft.unsure)),
  });
}

function told(call: CallState, { draft }: Held, done: Applied[], beside: JsonObject): Normalized {
  const whole = {
    operations: done.flatMap(({ operations }) => operations),
    files: done.flatMap(({ files }) => files),
  };
  const undo = done.map(({ undoToken }) => undoToken).reverse();
  const backups = done.flatMap((applied) => applied.backups);
  return {
    items: spellApplied(call, whole),
    beside: {
      status: done.length === 0 ? "unchanged" : "applied",
      summary: summaryOfApplied(whole),
      ...(undo[0] === undefined ? {} : { undo_token: undo[0] }),
      ...(undo.length > 1 ? { undo_tokens: undo } : {}),
      ...(backups.length > 0 ? { backups } : {}),
      ...(draft.command === undefined ? {} : { command: draft.command.name }),
      ...beside,
    },
  };
}

async function applyOptions(call: CallState): Promise<ApplyOptions> {
  const given = call.input[editArguments.expected];
  const options: ApplyOptions = { gate: call.gate, holder: call.holder };
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    options.expected = {};
    for (const [name, hash] of Object.entries(given))
      options.expected[(await call.gate.admit(name)).shown] = String(hash);
  }
  const suffix = backupSuffix(call);
  if (suffix !== undefined) options.backupSuffix = suffix;
  return options;
}

/** Whether every file would stay as it is, and where it is. */
function isNothing({ files, operations }: Preview): boolean {
  return (
    operations.every(({ skipped }) => skipped) &&
    files.every(({ beforeSha256, afterSha256 }) => beforeSha256 === afterSha256)
  );
}

/** How ready those were who had a say; undefined when no server had. */
function readinessOf({ evidence }: CallState): Held["readiness"] {
  return evidence.serverId === null ? undefined : evidence.readiness;
}

/** The tool and the arguments that say what is edited; undefined when a call gives nothing but a token. */
function bindingOf({ tool, input, plan }: CallState): string | undefined {
  const { size, cursor } = plan.dialect.listing;
  const manner: readonly string[] = [size, cursor, ...Object.values(editArguments)];
  const asked = Object.entries(input).filter(([name]) => !manner.includes(name));
  return asked.length === 0 ? undefined : HeldPreviews.binding(tool.name, Object.fromEntries(asked));
}
