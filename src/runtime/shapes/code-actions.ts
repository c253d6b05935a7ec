/**
 * The shape `code_actions`, and choosing an action by its id: a hash of server, kind, title and index among equal ones.
 */
import type { Plan } from "../../abi/plan.js";
import { sha256 } from "../../base/hash.js";
import { canonicalText, getAt, isTable, type Json, type JsonObject } from "../../base/json.js";
import { mapInTurns, sortByInTurns, sortedSet, uniqueByInTurns } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { documentKey } from "../../protocol/dialect-format.js";
import { table, textOf } from "../answer/answer-text.js";
import { invalidReply, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { documentEntries } from "./in-document.js";
import type { Shape } from "./shape.js";

const expected = "a list of code actions";
const ID_DIGITS = 16;

/** A rendered action with the server's original action. */
interface Offer {
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
async function identifiedActions(reply: ReplyData, call: CallState): Promise<Offer[]> {
  const turns = new Turns(call.signal);
  const offers: Offer[] = [];
  for (const { server, entry } of documentEntries(reply, call, expected)) {
    if (!isTable(entry) || typeof entry.title !== "string") throw invalidReply(server, expected);
    offers.push({ server, item: render(call, entry.title, entry), entry });
    if (turns.isDue) await turns.yield();
  }
  return withIds(offers, turns);
}

function render(call: CallState, title: string, entry: Record<string, unknown>): JsonObject {
  const item: JsonObject = { title, is_preferred: entry.isPreferred === true };
  if (typeof entry.kind === "string" && entry.kind !== "") item.kind = entry.kind;
  const reason = isTable(entry.disabled) ? entry.disabled.reason : undefined;
  if (typeof reason === "string") item.disabled = reason;
  const fixes = listOf(entry.diagnostics).flatMap((diagnostic) => {
    const message = isTable(diagnostic) ? diagnostic.message : undefined;
    return typeof message === "string" ? [cutCharacters(message, call.plan.limits.fixChars).text] : [];
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

async function withIds(offers: Offer[], turns: Turns): Promise<Offer[]> {
  const shown = ({ server, item }: Offer) => canonicalText({ server: server.plan.id, item });
  const unique = await uniqueByInTurns(offers, shown, turns);
  const ordered = await sortByInTurns(unique, (offer) => [shown(offer)], turns);
  const seen = new Map<string, number>();
  const identified = ({ server, item, entry }: Offer): Offer => {
    const name = canonicalText([server.plan.id, item.kind ?? null, item.title ?? null]);
    const index = seen.get(name) ?? 0;
    seen.set(name, index + 1);
    return { server, item: { id: sha256(`${name}${index}`).slice(0, ID_DIGITS), ...item }, entry };
  };
  return sortByInTurns(
    await mapInTurns(ordered, identified, turns),
    ({ item: { id, kind, title, is_preferred, disabled } }) => [
      disabled !== undefined,
      is_preferred !== true,
      kind === undefined ? undefined : textOf(kind),
      textOf(title),
      textOf(id),
    ],
    turns,
  );
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

/** No action is chosen yet: the answer is the list to choose from. */
export class Choices extends Error {
  constructor(readonly actions: JsonObject[]) {
    super("an action is to be chosen");
    this.name = "Choices";
  }
}

/** A reply with only the chosen action, still bound to its server. */
export async function choose(
  call: CallState,
  reply: ReplyData,
  path: string[],
  id: Json | undefined,
): Promise<ReplyData> {
  const parts =
    path.length === 0
      ? reply.parts
      : reply.parts.map((part) => ({ ...part, value: getAt(part.value, path) }));
  const actions = await identifiedActions({ ...reply, parts }, call);
  if (id === undefined) {
    const possible = actions.filter((offer) => !needsForbiddenCommand(call, offer));
    const left = actions.length - possible.length;
    if (left > 0)
      call.evidence.warn(
        "answer/command-skipped",
        `${left} of ${actions.length} actions only run commands that are not allowed; they are not listed.`,
      );
    throw new Choices(possible.map(({ item }) => item));
  }
  const found = actions.find(({ item }) => item.id === id);
  if (found === undefined)
    throw new Refusal(
      "edit/no-action",
      actions.length === 0
        ? "The servers offer no action here."
        : "None of the actions on offer has that id.",
      {
        data: {
          actions: actions.slice(0, call.plan.limits.refusalActions).map(({ item }) => short(item)),
          total: actions.length,
        },
      },
    );
  if (found.item.disabled !== undefined)
    throw new Refusal("edit/no-action", `The action is disabled: ${String(found.item.disabled)}.`);
  return { parts: [{ server: found.server, value: found.entry }], perItem: false };
}

/** Whether an action consists of a command that the config does not allow. */
function needsForbiddenCommand({ plan }: CallState, { server, item: { command, edit } }: Offer): boolean {
  if (command === undefined || edit !== undefined) return false;
  return !isAllowedCommand(plan, server, textOf(command));
}

/** Whether the config allows a server's command. */
export function isAllowedCommand({ allow }: Plan, { plan }: LanguageServer, name: string): boolean {
  return allow.effects.includes("command") && plan.executeCommands.includes(name);
}

function short({ id, title, kind }: JsonObject): JsonObject {
  return { id: id ?? null, title: title ?? null, ...(kind === undefined ? {} : { kind }) };
}

/** The files that a `WorkspaceEdit` touches, and how many edits and operations it has. */
function editedUris(edit: Record<string, unknown>): { uris: string[]; count: number } {
  const uris: unknown[] = [];
  let count = 0;
  if (Array.isArray(edit.documentChanges)) {
    for (const change of edit.documentChanges) {
      const { textDocument, edits, uri, oldUri, newUri } = isTable(change) ? change : {};
      uris.push(isTable(textDocument) ? textDocument.uri : undefined, uri, oldUri, newUri);
      count += edits === undefined ? 1 : listOf(edits).length;
    }
  } else if (isTable(edit.changes)) {
    for (const [uri, edits] of Object.entries(edit.changes)) {
      uris.push(uri);
      count += listOf(edits).length;
    }
  }
  return { uris: sortedSet(uris.filter((uri) => typeof uri === "string")), count };
}
