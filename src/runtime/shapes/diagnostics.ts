/** The diagnostics of a file, with its status: diagnostics found, clean, or unknown and why. */
import { defineAll, isTable, type Json, type JsonObject } from "../../base/json.js";
import { cutCharacters, detached } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { severities, wordOf } from "../../protocol/kinds.js";
import { diagnosticsFacts } from "../../protocol/shapes/diagnostics.js";
import type { Admitted } from "../../workspace/types.js";
import { byFile, rangeText, table, textOf } from "../answer/answer-text.js";
import type { Places } from "../answer/places.js";
import { garbled, isRange, type LspRange, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect, type ItemKind, type RawItem } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import type { Shape } from "./shape.js";

const messageCharacters = 4096;

/** The shape `diagnostics`. */
export const diagnostics: Shape = {
  nouns: ["diagnostic", "diagnostics"],
  async normalize(reply, call) {
    const kind = diagnosticKind((admitted, places) => places.document(admitted));
    const files = await collect(call, kind, diagnosticsIn(reply, call), { dropped: "items" });
    const list = new ItemList(kind, files);
    return { list, beside: besideOf(reply, list.length) };
  },
  text: (items, beside, dialect) => [
    statusLine(beside),
    ...byFile(items, dialect, (item) => messageLines(item, rangeText(item, dialect))),
  ],
  unknown: unknownStatus,
};

/** The line for a status that is not known: an empty list alone would read as clean. */
export function unknownStatus(beside: JsonObject): string[] {
  return beside.status === "unknown" ? [statusLine(beside)] : [];
}

/** The status members beside the diagnostics. */
export function besideOf(reply: ReplyData, found: number): JsonObject {
  const status = reply.diagnostics?.status ?? (found > 0 ? "diagnostics" : "unknown");
  const why = reply.diagnostics?.why ?? "";
  return why === "" ? { status } : { status, why };
}

/** The status as a line. */
export function statusLine({ status, why }: JsonObject): string {
  return why === undefined ? `Status: ${textOf(status)}` : `Status: ${textOf(status)} (${textOf(why)})`;
}

/** A diagnostic as lines; the message's further lines are indented. */
export function messageLines(item: Json, range: string): string[] {
  const { severity, code, source, message } = table(item);
  const [first = "", ...more] = textOf(message).split(/\r\n|\r|\n/);
  const origin = [source, code].filter((part) => part !== undefined).map(textOf);
  const mark = origin.length === 0 ? "" : ` [${origin.join(" ")}]`;
  return [`${range}  ${textOf(severity)}${mark} ${first}`, ...more.map((line) => `  ${line}`)];
}

function* diagnosticsIn(reply: ReplyData, call: CallState): Iterable<RawItem<JsonObject>> {
  const uri = call.evidence.document?.admitted.uri;
  for (const { server, value } of reply.parts) {
    if (server === undefined || uri === undefined) throw garbled(server, "a list of diagnostics");
    for (const entry of listOf(value)) yield readDiagnostic(call, server, uri, entry);
  }
}

/** Diagnostics as items of a listing; `file` gives the members that name their file. */
export function diagnosticKind(
  file: (admitted: Admitted, places: Places) => JsonObject,
): ItemKind<JsonObject> {
  return {
    facts: diagnosticsFacts,
    text: (what) => JSON.stringify(what),
    render: ({ server, range, what }, admitted, places, lines) => {
      const item = file(admitted, places);
      if (range !== undefined) places.addRange(item, lines, server, range);
      defineAll(item, what);
      return item;
    },
  };
}

/** A server's diagnostic as an item; its message is cut when it is very long. */
export function readDiagnostic(
  call: CallState,
  server: LanguageServer,
  uri: string,
  entry: unknown,
): RawItem<JsonObject> & { range: LspRange } {
  const members = isTable(entry) ? entry : {};
  const message = messageOf(members.message);
  if (!isRange(members.range) || message === undefined) throw garbled(server, "a list of diagnostics");
  const kept = cutCharacters(message, messageCharacters);
  if (kept.cut) {
    call.evidence.cut();
    call.evidence.warn("answer/truncated", `A message is longer than ${messageCharacters} characters.`);
  }
  const what: JsonObject = { severity: severityWord(members.severity) };
  const code = codeOf(members.code);
  if (code !== undefined) what.code = code;
  if (typeof members.source === "string") what.source = members.source;
  what.message = kept.cut ? detached(kept.text) : kept.text;
  return { server, uri, range: members.range, what };
}

/** A server's diagnostic, rendered without its file. */
export async function spellDiagnostic(
  call: CallState,
  server: LanguageServer,
  uri: string,
  entry: unknown,
): Promise<JsonObject> {
  const { range, what } = readDiagnostic(call, server, uri, entry);
  return { ...(await call.places.span(server, uri, range)), ...what };
}

/** LSP leaves a missing severity to the client; it counts as an error. */
function severityWord(severity: unknown): string {
  return wordOf(severities, severity) ?? "error";
}

function codeOf(code: unknown): string | undefined {
  if (isTable(code)) return codeOf(code.value);
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

/** LSP 3.18 allows markup as the message. */
function messageOf(message: unknown): string | undefined {
  if (typeof message === "string") return message;
  return isTable(message) && typeof message.value === "string" ? message.value : undefined;
}
