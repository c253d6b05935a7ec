/** The shape `code_actions`: each with a stable id, a hash of server, kind and title, and an index among equal ones. */
import { sha256 } from "../../base/hash.js";
import { canonicalText, isTable, type JsonObject } from "../../base/json.js";
import { sortBy, sortedSet, uniqueBy } from "../../base/order.js";
import { cutCharacters } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { documentKey } from "../../protocol/spelling.js";
import { table, textOf } from "../answer/answer-text.js";
import { garbled, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { editedUris } from "../edits/server-edit.js";
import { documentEntries } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a list of code actions";
const MESSAGE_CHARACTERS = 400;
const ID_DIGITS = 16;

/** A rendered action with the server's own. */
export interface Offer {
  server: LanguageServer;
  item: JsonObject;
  entry: Record<string, unknown>;
}

export const codeActions: Shape = {
  nouns: ["action", "actions"],
  async normalize(reply, call) {
    return { items: (await identifiedActions(reply, call)).map(({ item }) => item), beside: {} };
  },
  text: (items) => items.flatMap((item) => actionLines(table(item))),
};

/** The actions of a reply with their ids, in the order they are shown. */
export async function identifiedActions(reply: ReplyData, call: CallState): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (const { server, entry } of documentEntries(reply, call, what)) {
    if (!isTable(entry) || typeof entry.title !== "string") throw garbled(server, what);
    offers.push({ server, item: render(call, entry.title, entry), entry });
  }
  return withIds(offers);
}

function render(call: CallState, title: string, entry: Record<string, unknown>): JsonObject {
  const item: JsonObject = { title, is_preferred: entry.isPreferred === true };
  if (typeof entry.kind === "string" && entry.kind !== "") item.kind = entry.kind;
  const reason = isTable(entry.disabled) ? entry.disabled.reason : undefined;
  if (typeof reason === "string") item.disabled = reason;
  const fixes = listOf(entry.diagnostics).flatMap((diagnostic) => {
    const message = isTable(diagnostic) ? diagnostic.message : undefined;
    return typeof message === "string" ? [cutCharacters(message, MESSAGE_CHARACTERS).text] : [];
  });
  if (fixes.length > 0) item.fixes = sortedSet(fixes);
  // A bare command has its name where an action has the command object.
  const command = isTable(entry.command) ? entry.command.command : entry.command;
  if (typeof command === "string") item.command = command;
  if (isTable(entry.edit)) item.edit = summary(call, entry.edit);
  return item;
}

/** The number of edits and the files that they change. */
function summary(call: CallState, edit: Record<string, unknown>): JsonObject {
  const { uris, count } = editedUris(edit);
  const files: string[] = [];
  let outside = 0;
  for (const uri of uris) {
    const admitted = call.places.show(uri);
    if (admitted === undefined) outside++;
    else files.push(textOf(call.places.document(admitted)[documentKey(call.places.dialect)]));
  }
  return { files: sortedSet(files), edits: count, ...(outside === 0 ? {} : { outside }) };
}

function withIds(offers: Offer[]): Offer[] {
  const shown = ({ server, item }: Offer) => canonicalText({ server: server.plan.id, item });
  const ordered = sortBy(uniqueBy(offers, shown), (offer) => [shown(offer)]);
  const seen = new Map<string, number>();
  const named = ordered.map(({ server, item, entry }): Offer => {
    const name = canonicalText([server.plan.id, item.kind ?? null, item.title ?? null]);
    const index = seen.get(name) ?? 0;
    seen.set(name, index + 1);
    return { server, item: { id: sha256(`${name}${index}`).slice(0, ID_DIGITS), ...item }, entry };
  });
  return sortBy(named, ({ item: { id, kind, title, is_preferred, disabled } }) => [
    disabled !== undefined,
    is_preferred !== true,
    kind === undefined ? undefined : textOf(kind),
    textOf(title),
    textOf(id),
  ]);
}

function actionLines(item: JsonObject): string[] {
  const { id, title, kind, is_preferred, disabled, fixes, command, edit } = item;
  const marks = [textOf(kind), is_preferred === true ? "preferred" : ""].filter((mark) => mark !== "");
  const { files, edits, outside } = table(edit);
  const away = outside === undefined ? "" : `, ${outside} outside the workspace`;
  return [
    `${textOf(id)}  ${textOf(title)}${marks.length > 0 ? `  (${marks.join(", ")})` : ""}`,
    ...(disabled === undefined ? [] : [`  disabled: ${textOf(disabled)}`]),
    ...(Array.isArray(fixes) ? fixes : []).map((message) => `  fixes: ${textOf(message)}`),
    ...(command === undefined ? [] : [`  runs ${textOf(command)}`]),
    ...(Array.isArray(files)
      ? [`  ${edits} ${edits === 1 ? "edit" : "edits"} in ${files.join(", ") || "no file"}${away}`]
      : []),
  ];
}
