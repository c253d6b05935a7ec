/**
 * The shape `completions`, filtered by the typed word,
 * since many servers leave that to the editor: prefixes come first.
 */
import { canonicalText, isTable, type JsonObject } from "../../base/json.js";
import { mapInTurns, sortByInTurns, uniqueByInTurns } from "../../base/order.js";
import { cutCharacters } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import { completionKinds, wordOf } from "../../protocol/kinds.js";
import { table, textOf } from "../answer/answer-text.js";
import { toPoint } from "../answer/places.js";
import { invalidReply, isRange, listOf, markupText, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Entry, Shape } from "./shape.js";

const expected = "a list of completions";
const SNIPPET_FORMAT = 2;
/** The patterns that find tab stops take quadratic time in a text that has only their beginnings. */
const SNIPPET_CHARACTERS = 10_000;

export const completions: Shape = {
  nouns: ["completion", "completions"],
  entries: (value) => (isTable(value) && Array.isArray(value.items) ? value.items : listOf(value)),
  choose: fitting,
  async normalize(reply, call) {
    const entries = reply.parts.flatMap(({ server, value }): Entry[] => {
      if (server === undefined) throw invalidReply(server, expected);
      return completions.entries?.(value).map((item) => ({ server, item })) ?? [];
    });
    const turns = new Turns(call.signal);
    const { completionChars } = call.plan.limits;
    const items = await mapInTurns(
      await fitting(entries, call),
      (entry) => render(entry, completionChars),
      turns,
    );
    return {
      items: await uniqueByInTurns(items, canonicalText, turns),
      beside: { prefix: wordBefore(call), incomplete: isIncomplete(reply.source ?? reply) },
    };
  },
  text: (items, { prefix, incomplete }) => [
    `Typed so far: "${textOf(prefix)}"${incomplete === true ? "; more typing gives other completions" : ""}`,
    ...items.flatMap((item) => completionLines(table(item))),
  ],
};

/** The entries that match the typed word, best first. */
async function fitting(entries: Entry[], call: CallState): Promise<Entry[]> {
  const turns = new Turns(call.signal);
  const word = wordBefore(call);
  const ranked = await mapInTurns(
    entries,
    (entry) => {
      const { label, filterText, sortText } = membersOf(entry);
      const rank = rankOf(String(filterText ?? label), typedFor(entry, call) ?? word);
      return { entry, rank, key: [rank, String(sortText ?? label), String(label)] };
    },
    turns,
  );
  const sorted = await sortByInTurns(
    ranked.filter(({ rank }) => rank !== undefined),
    ({ entry: { server, item }, key }) => [...key, canonicalText(item), server.plan.id],
    turns,
  );
  return sorted.map(({ entry }) => entry);
}

function membersOf({ server, item }: Entry): Record<string, unknown> {
  if (!isTable(item) || typeof item.label !== "string") throw invalidReply(server, expected);
  return item;
}

/** 0 for a prefix match, 1 for letters in order, undefined for no match. */
function rankOf(text: string, typed: string): number | undefined {
  const whole = text.toLowerCase();
  const part = typed.toLowerCase();
  if (whole.startsWith(part)) return 0;
  let at = 0;
  for (const character of part) {
    at = whole.indexOf(character, at);
    if (at < 0) return undefined;
    at += character.length;
  }
  return 1;
}

function wordBefore(call: CallState): string {
  const { place, document } = call.evidence.target ?? {};
  if (place === undefined || document === undefined) return "";
  const before = document.lines.line(place.line).slice(0, place.character);
  return /[\p{L}\p{N}\p{M}_$]*$/u.exec(before)?.[0] ?? "";
}

/** The text before the position that an item replaces, when it says so: a path or a tag is more than a word. */
function typedFor({ server, item }: Entry, call: CallState): string | undefined {
  const { place, document } = call.evidence.target ?? {};
  const edit = isTable(item) && isTable(item.textEdit) ? item.textEdit : undefined;
  const range = edit?.range ?? edit?.insert;
  if (place === undefined || document === undefined || !isRange(range)) return undefined;
  const start = toPoint(document.lines, range.start, server.encoding, "utf-16");
  if (start.line !== place.line || start.character > place.character) return undefined;
  return document.lines.line(place.line).slice(start.character, place.character);
}

function render(entry: Entry, maxChars: number): JsonObject {
  const members = membersOf(entry);
  const { label, detail, textEdit, tags } = members;
  const item: JsonObject = { label: String(label), kind: wordOf(completionKinds, members.kind) ?? "unknown" };
  const shown = typeof detail === "string" && detail !== "" ? detail : detailsOf(members.labelDetails);
  if (shown !== "") item.detail = shown;
  const prose = markupText(members.documentation);
  if (prose !== undefined) item.documentation = cutCharacters(prose, maxChars).text;
  const raw = isTable(textEdit) ? textEdit.newText : members.insertText;
  const isSnippet = members.insertTextFormat === SNIPPET_FORMAT;
  const insert = typeof raw === "string" && isSnippet ? withoutStops(raw) : raw;
  if (typeof insert === "string" && insert !== label) item.insert = insert;
  if (members.deprecated === true || (Array.isArray(tags) && tags.includes(1))) item.deprecated = true;
  return item;
}

/** A snippet as plain text: placeholders with their defaults. Some servers send only snippets. */
function withoutStops(snippet: string): string {
  return cutCharacters(snippet, SNIPPET_CHARACTERS)
    .text.replaceAll(/\$\{\d+\|([^,|}]*)(?:[,|][^}]*)?\}/g, "$1")
    .replaceAll(/\$\{\d+:([^{}]*)\}/g, "$1")
    .replaceAll(/\$(?:\d+|\{\d+\})/g, "")
    .replaceAll(/\\([$}\\])/g, "$1");
}

function detailsOf(details: unknown): string {
  const { detail, description } = isTable(details) ? details : {};
  return [detail, description]
    .filter((part) => typeof part === "string")
    .join(" ")
    .trim();
}

function isIncomplete(reply: ReplyData): boolean {
  return reply.parts.some(({ value }) => isTable(value) && value.isIncomplete === true);
}

function completionLines(item: JsonObject): string[] {
  const { label, kind, detail, insert, deprecated, documentation } = item;
  const marks = [textOf(kind), ...(deprecated === true ? ["deprecated"] : [])].join(", ");
  const more = detail === undefined ? "" : `  ${textOf(detail).replaceAll(/\s+/g, " ")}`;
  return [
    `${textOf(label)}  (${marks})${more}`,
    ...(insert === undefined ? [] : [`  inserts ${JSON.stringify(insert)}`]),
    ...(documentation === undefined ? [] : textOf(documentation).split("\n")).map((line) => `  ${line}`),
  ];
}
