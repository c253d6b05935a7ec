/** Edits: a preview with diffs, or an applied edit with the errors that it introduced and resolved. */
import type { DialectPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import { Fault } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import { plural } from "../../base/words.js";
import { editArguments, newDocumentKey } from "../../protocol/edit-arguments.js";
import { fileOf, rangeText, table, textOf } from "../answer/answer-text.js";
import { codeActions } from "./code-actions.js";
import type { Normalized, Shape } from "./shape.js";

/** Estimated size of one listed action. */
const ACTION_CHARS = 800;

/** The shapes `workspace_edit` and `text_edits`. */
export const workspaceEdit: Shape = {
  nouns: ["change", "changes"],
  subject({ status, actions }) {
    if (status !== "choose" || !Array.isArray(actions)) return undefined;
    return actions.length === 0 ? "no actions" : `${plural(actions.length, "action")} to choose from`;
  },
  async normalize({ edit }, call) {
    if (edit === undefined) throw new Fault("an edit is shown that was not made");
    if (call.tool.output.outcomes !== "applied") return edit;
    const { items, beside } = edit;
    const isApplied = beside.status === "applied" || call.input[editArguments.dryRun] === false;
    return { items, beside: { ...beside, applied: isApplied } };
  },

  shorten: (items, beside, characters) => ({
    items: items.map((item) => shortenItem(table(item), Math.floor(characters / 4))),
    beside: {
      ...withoutLongBackups(beside, characters),
      ...shortenDiagnostics(table(beside.diagnostics), characters),
      ...(Array.isArray(beside.actions)
        ? { actions: beside.actions.slice(0, Math.floor(characters / ACTION_CHARS)) }
        : {}),
    },
  }),
  text: (items, beside, dialect) => [
    statusLine(beside),
    ...items.flatMap((item) => itemLines(table(item), dialect)),
    ...(Array.isArray(beside.actions) ? codeActions.text(beside.actions, {}, dialect) : []),
    ...tokenLines(beside),
    ...errorLines(table(beside.diagnostics), dialect),
  ],
};

/** The code actions to choose from; nothing is edited. */
export function actionsToChoose(actions: JsonObject[]): Normalized {
  return { items: [], beside: { status: "choose", summary: { files: 0, edits: 0, operations: 0 }, actions } };
}

/** Keeps as much of the diff, and as many of the edits, as fit. */
function shortenItem(item: JsonObject, characters: number): JsonObject {
  const diff = cutCharacters(textOf(item.diff), characters);
  const edits = Array.isArray(item.edits) ? item.edits : [];
  let used = 0;
  const kept = edits.filter((edit) => {
    used += JSON.stringify(edit).length;
    return used <= characters;
  });
  if (!diff.cut && kept.length === edits.length) return item;
  return {
    ...item,
    ...(item.edits === undefined ? {} : { edits: kept }),
    ...(item.diff === undefined ? {} : { diff: diff.text }),
    cut: true,
  };
}

/** Drops a long list of backup copies: their names follow from those of the files. */
function withoutLongBackups({ backups, ...beside }: JsonObject, characters: number): JsonObject {
  const isShort = backups !== undefined && JSON.stringify(backups).length <= characters / 4;
  return isShort ? { ...beside, backups } : beside;
}

function shortenDiagnostics(diagnostics: JsonObject, characters: number): JsonObject {
  if (diagnostics.status === undefined) return {};
  const most = Math.floor(characters / 2000);
  const cut = (list: Json | undefined) => (Array.isArray(list) ? list.slice(0, most) : []);
  const { introduced, resolved, errors, not_shown: hidden } = diagnostics;
  const lost = (Array.isArray(errors) ? errors.length : 0) - cut(errors).length;
  return {
    diagnostics: {
      ...diagnostics,
      introduced: cut(introduced),
      resolved: cut(resolved),
      errors: cut(errors),
      not_shown: Number(hidden) + lost,
    },
  };
}

function statusLine({ status, summary, command_failed, actions }: JsonObject): string {
  if (status === "choose") return `Status: choose (nothing is changed; ${choiceText(actions)})`;
  if (status === "unchanged" && command_failed === undefined)
    return "Status: unchanged (there is nothing to change: the files have this content already)";
  const { files, edits, operations } = table(summary);
  const parts = [
    plural(edits, "edit"),
    plural(files, "file"),
    ...(operations === 0 ? [] : [plural(operations, "operation")]),
  ];
  const what = {
    preview: "nothing is changed yet",
    applied:
      command_failed === undefined
        ? "all of it is done"
        : "the edits listed here are done, the command failed",
    undone: "the files are as they were before",
    unchanged: "the command failed",
  }[textOf(status)];
  return `Status: ${textOf(status)} (${parts.join(", ")}; ${what})`;
}

function itemLines(item: JsonObject, dialect: DialectPlan): string[] {
  const to = textOf(item[newDocumentKey(dialect)]);
  const name = `${fileOf(item, dialect)}${to === "" ? "" : ` → ${to}`}`;
  const notes = item.note === undefined ? "" : `  (${textOf(item.note)})`;
  if (item.operation !== undefined) {
    const size =
      item.folder === true
        ? `, a folder${item.files === undefined ? "" : ` of ${plural(item.files, "file")}`}`
        : "";
    const more = `${item.overwrites === true ? ", replaces what is there" : ""}${item.skipped === true ? ", nothing to do" : ""}`;
    return [`${textOf(item.operation)} ${name}${size}${more}${notes}`];
  }
  const hashes = [`before ${hashText(item.before_sha256)}`, `after ${hashText(item.after_sha256)}`].join(
    ", ",
  );
  const part = item.parts === undefined ? "" : `, part ${item.part} of ${item.parts}`;
  const links =
    item.other_links === undefined ? "" : `, ${item.other_links} other hard links keep the old text`;
  return [
    `${name}  ${plural(item.edit_count, "edit")}, sha256 ${hashes}${links}${part}`,
    ...noteLines(item, dialect),
    ...(item.diff === undefined ? [] : textOf(item.diff).replace(/\n$/, "").split("\n")),
    ...(item.cut === true ? ["(cut here)"] : []),
  ];
}

/** The annotations of single edits, which a diff cannot show. */
function noteLines({ edits }: JsonObject, dialect: DialectPlan): string[] {
  return (Array.isArray(edits) ? edits : []).flatMap((edit) => {
    const { note } = table(edit);
    return note === undefined ? [] : [`  ${rangeText(edit, dialect)}  ${textOf(note)}`];
  });
}

function hashText(hash: Json | undefined): string {
  return typeof hash === "string" ? hash : "none";
}

function tokenLines(beside: JsonObject): string[] {
  const { status, edit_token, undo_token, undo_tokens, undoes, backups, command, command_failed } = beside;
  const outcome = status === "preview" ? " (not run yet)" : command_failed === undefined ? "" : " (failed)";
  const apply = `${editArguments.dryRun} false and ${editArguments.token} "${textOf(edit_token)}"`;
  const undoCall = status === "preview" ? `the same call with ${editArguments.dryRun} false and ` : "";
  return [
    ...(command === undefined ? [] : [`Command: ${textOf(command)}${outcome}`]),
    ...(Array.isArray(backups)
      ? [`Copies${status === "preview" ? ", made when it is applied" : ""}: ${backups.join(", ")}`]
      : []),
    ...(edit_token === undefined ? [] : [`To apply it: the same call with ${apply}.`]),
    ...(undoes === undefined ? [] : [`Undoes: ${textOf(undoes)}`]),
    ...(undo_token === undefined ? [] : [`To undo it: ${undoCall}undo_token "${textOf(undo_token)}".`]),
    ...(Array.isArray(undo_tokens) ? [`To undo all of it, in this order: ${undo_tokens.join(", ")}.`] : []),
  ];
}

/** Introduced and resolved errors, then all errors in one block per file. */
function errorLines(diagnostics: JsonObject, dialect: DialectPlan): string[] {
  const { status, why, introduced, resolved, errors, not_shown } = diagnostics;
  if (status === undefined) return [];
  const list = (items: Json | undefined) => (Array.isArray(items) ? items : []);
  const brief = (sign: string) => (item: Json) =>
    `${sign} ${fileOf(item, dialect)} ${errorLine(item, dialect)}`;
  return [
    `Errors: ${list(introduced).length} introduced, ${list(resolved).length} resolved${status === "unknown" ? `; not all is known (${textOf(why)})` : ""}`,
    ...list(introduced).map(brief("+")),
    ...list(resolved).map(brief("-")),
    ...blocks(list(errors), dialect),
    ...(typeof not_shown === "number" && not_shown > 0 ? [`... and ${not_shown} more`] : []),
  ];
}

function blocks(errors: Json[], dialect: DialectPlan): string[] {
  const lines: string[] = [];
  let file: string | undefined;
  for (const error of errors) {
    const own = fileOf(error, dialect);
    if (own !== file && file !== undefined) lines.push("</diagnostics>");
    if (own !== file) lines.push(`<diagnostics file="${escaped(own)}">`);
    file = own;
    lines.push(escaped(errorLine(error, dialect)));
  }
  return file === undefined ? lines : [...lines, "</diagnostics>"];
}

function errorLine(error: Json, dialect: DialectPlan): string {
  const { severity, message, code } = table(error);
  const start = rangeText(error, dialect).split("-")[0];
  const words = textOf(message).replaceAll(/\s*[\r\n]+\s*/g, " ");
  return `${textOf(severity).toUpperCase()} [${start}] ${words}${code === undefined ? "" : ` (${textOf(code)})`}`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The next step after the list of actions: call again, only where one of them can be chosen. */
function choiceText(actions: Json | undefined): string {
  const listed = Array.isArray(actions) ? actions.map(table) : [];
  if (listed.length === 0) return "there is no action to choose at this place";
  if (listed.every(({ disabled }) => disabled !== undefined)) return "every action at this place is disabled";
  return "call again with the id of an action";
}
