/** Errors and warnings of a file, with what is known of it: found, clean, or unknown and why. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { severities, wordOf } from "../../protocol/kinds.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, listOf } from "../lsp-values.js";
import type { ReplyData } from "../reply.js";
import type { Shape } from "./shape.js";
import { byFile, rangeText, table, textOf } from "./spelt.js";

const messageCharacters = 4096;

/** The shape `diagnostics`. */
export const diagnostics: Shape = {
  nouns: ["diagnostic", "diagnostics"],
  async normalize(reply, call) {
    const admitted = call.evidence.document?.admitted;
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined || admitted === undefined) throw garbled(server, "a list of diagnostics");
      for (const entry of listOf(value))
        items.push({
          ...call.places.document(admitted),
          ...(await spellDiagnostic(call, server, admitted.uri, entry)),
        });
    }
    return { items, beside: besideOf(reply, items.length) };
  },
  text: (items, beside, dialect) => [
    statusLine(beside),
    ...byFile(items, dialect, (item) => messageLines(item, rangeText(item, dialect))),
  ],
  doubt,
};

/** An empty list says that a file is clean only when its servers said so. */
export function doubt(beside: JsonObject): string[] {
  return beside.status === "unknown" ? [statusLine(beside)] : [];
}

/** What is known, beside the diagnostics. */
export function besideOf(reply: ReplyData, found: number): JsonObject {
  const status = reply.diagnostics?.status ?? (found > 0 ? "diagnostics" : "unknown");
  const why = reply.diagnostics?.why ?? "";
  return why === "" ? { status } : { status, why };
}

/** The same as a line. */
export function statusLine({ status, why }: JsonObject): string {
  return why === undefined ? `Status: ${textOf(status)}` : `Status: ${textOf(status)} (${textOf(why)})`;
}

/** The message's own lines stay lines; those after the first are indented. */
export function messageLines(item: Json, range: string): string[] {
  const { severity, code, source, message } = table(item);
  const [first = "", ...more] = textOf(message).split(/\r\n|\r|\n/);
  const origin = [source, code].filter((part) => part !== undefined).map(textOf);
  const mark = origin.length === 0 ? "" : ` [${origin.join(" ")}]`;
  return [`${range}  ${textOf(severity)}${mark} ${first}`, ...more.map((line) => `  ${line}`)];
}

/** A server's diagnostic as the agent sees it, but for its file. */
export async function spellDiagnostic(
  call: CallState,
  server: LanguageServer,
  uri: string,
  entry: unknown,
): Promise<JsonObject> {
  const members = isTable(entry) ? entry : {};
  const message = messageOf(members.message);
  if (!isRange(members.range) || message === undefined) throw garbled(server, "a list of diagnostics");
  const kept = cutCharacters(message, messageCharacters);
  if (kept.cut) {
    call.evidence.cut();
    call.evidence.warn("answer/truncated", `A message is longer than ${messageCharacters} characters.`);
  }
  const item: JsonObject = {
    ...(await call.places.span(server, uri, members.range)),
    severity: severityWord(members.severity),
  };
  const code = codeOf(members.code);
  if (code !== undefined) item.code = code;
  if (typeof members.source === "string") item.source = members.source;
  return { ...item, message: kept.text };
}

/** A diagnostic without a severity is an error, as clients are told to read it. */
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
