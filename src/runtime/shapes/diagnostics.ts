/**
 * The shapes `diagnostics` and `workspace_diagnostics`, with their status:
 * diagnostics found, clean, or unknown and why.
 */
import type { Range } from "vscode-languageserver-protocol";
import { defineAll, isTable, type Json, type JsonObject } from "../../base/json.js";
import { cutCharacters, detached } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { severities, wordOf } from "../../protocol/kinds.js";
import { diagnosticsFacts } from "../../protocol/shapes/diagnostics.js";
import { byFile, fileOf, rangeText, table, textOf } from "../answer/answer-text.js";
import { invalidReply, isRange, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect, comparedAsText, type ItemKind, type RawItem } from "../listing/collect.js";
import { FileList, ItemList } from "../listing/list.js";
import type { Shape } from "./shape.js";

export const diagnostics: Shape = {
  nouns: ["diagnostic", "diagnostics"],
  async normalize(reply, call, { filter }) {
    const kind = diagnosticKind({ isNamed: true });
    const found = [...diagnosticsOfDocument(reply, call)];
    const shown = found.filter(({ details }) => isSevere(details.severity, filter?.severity));
    const list = new ItemList(kind, await collect(call, kind, shown));
    const status = withAdvice(call, statusOf(reply, list.length));
    if (call.tool.output.filter === null) return { list, beside: status };
    const hidden = found.length - shown.length;
    // Nothing of the requested severity: the file counts as clean.
    const isClean = status.status === "diagnostics" && shown.length === 0;
    return { list, beside: { ...status, ...(isClean && { status: "clean" }), hidden } };
  },
  text: (items, beside, dialect) => [
    statusLine(beside),
    ...hiddenLines(beside),
    ...byFile(items, dialect, (item) => messageLines(item, rangeText(item, dialect))),
  ],
  unknown: unknownStatus,
};

/** Of each file a limited number of diagnostics is shown, and all are counted. */
export const workspaceDiagnostics: Shape = {
  nouns: ["file with diagnostics", "files with diagnostics"],
  async normalize(reply, call) {
    const kind = diagnosticKind({ isNamed: false });
    const files = await collect(call, kind, diagnosticsOfWorkspace(reply, call), { dropped: "files" });
    const { diagnosticsPerFile } = call.plan.limits;
    if (files.some(({ items }) => items.length > diagnosticsPerFile))
      call.evidence.truncated(
        `Of a file at most ${diagnosticsPerFile} diagnostics are shown, and one has more; ask about that file itself.`,
      );
    const list = new FileList(kind, files, diagnosticsPerFile, ({ admitted, items }, first, places) => ({
      ...places.document(admitted),
      total: items.length,
      diagnostics: first,
    }));
    return { list, beside: statusOf(reply, list.length) };
  },
  shorten: (items, beside, characters) => ({
    items: items.map((item): Json => {
      const { diagnostics, ...rest } = table(item);
      let room = characters;
      const kept = (Array.isArray(diagnostics) ? diagnostics : []).filter((entry) => {
        room -= JSON.stringify(entry).length;
        return room > 0;
      });
      return { ...rest, diagnostics: kept };
    }),
    beside,
  }),
  text: (items, beside, dialect) => [
    statusLine(beside),
    ...items.flatMap((item) => {
      const { total, diagnostics } = table(item);
      const shown = Array.isArray(diagnostics) ? diagnostics : [];
      const cut = Number(total) > shown.length ? ` (${shown.length} of ${total} shown)` : "";
      return [
        `${fileOf(item, dialect)}${cut}`,
        ...shown
          .flatMap((entry) => messageLines(entry, rangeText(entry, dialect)))
          .map((line) => `  ${line}`),
      ];
    }),
  ],
  unknown: unknownStatus,
};

/** Whether a severity is at least as bad as another. */
function isSevere(severity: Json | undefined, mildest: Json | undefined): boolean {
  const rank = (word: Json | undefined) => severities.indexOf(word as (typeof severities)[number]);
  return rank(mildest) < 0 || rank(severity) <= rank(mildest);
}

function hiddenLines({ hidden }: JsonObject): string[] {
  if (typeof hidden !== "number" || hidden <= 0) return [];
  const what = hidden === 1 ? "1 milder one is hidden" : `${hidden} milder ones are hidden`;
  return [`${what}; min_severity says which are shown.`];
}

/** The line for a status that is not known: an empty list alone would read as clean. */
function unknownStatus(beside: JsonObject): string[] {
  return beside.status === "unknown" ? [statusLine(beside)] : [];
}

function statusOf(reply: ReplyData, found: number): JsonObject {
  const status = reply.diagnostics?.status ?? (found > 0 ? "diagnostics" : "unknown");
  const why = reply.diagnostics?.why ?? "";
  return why === "" ? { status } : { status, why };
}

/** The next step after an unknown status, where a call can say how long it waits. */
function withAdvice({ tool }: CallState, status: JsonObject): JsonObject {
  const wait = tool.steps.find((step) => step.kind === "diagnostics")?.waitMs;
  if (status.status !== "unknown" || wait?.kind !== "ref") return status;
  return { ...status, why: `${textOf(status.why)}; call again, or with a larger ${wait.ref.name}` };
}

function statusLine({ status, why }: JsonObject): string {
  return why === undefined ? `Status: ${textOf(status)}` : `Status: ${textOf(status)} (${textOf(why)})`;
}

/** A diagnostic as lines; the message's further lines are indented. */
function messageLines(item: Json, range: string): string[] {
  const { severity, code, source, message } = table(item);
  const [first = "", ...more] = textOf(message).split(/\r\n|\r|\n/);
  const origin = [source, code].filter((part) => part !== undefined).map(textOf);
  const mark = origin.length === 0 ? "" : ` [${origin.join(" ")}]`;
  return [`${range}  ${textOf(severity)}${mark} ${first}`, ...more.map((line) => `  ${line}`)];
}

function* diagnosticsOfDocument(reply: ReplyData, call: CallState): Iterable<RawItem<JsonObject>> {
  const uri = call.evidence.document?.admitted.uri;
  for (const { server, value } of reply.parts) {
    if (server === undefined || uri === undefined) throw invalidReply(server, "a list of diagnostics");
    for (const entry of listOf(value)) yield readDiagnostic(call, server, uri, entry);
  }
}

function* diagnosticsOfWorkspace(reply: ReplyData, call: CallState): Iterable<RawItem<JsonObject>> {
  for (const { server, value } of reply.parts) {
    for (const file of listOf(value)) {
      if (server === undefined || !isTable(file) || typeof file.uri !== "string")
        throw invalidReply(server, "the diagnostics of a workspace");
      for (const entry of listOf(file.items)) yield readDiagnostic(call, server, file.uri, entry);
    }
  }
}

/** `isNamed` when each diagnostic names its file. */
function diagnosticKind({ isNamed }: { isNamed: boolean }): ItemKind<JsonObject> {
  return {
    facts: diagnosticsFacts,
    ...comparedAsText((details) => JSON.stringify(details)),
    render: ({ server, range, details }, admitted, places, lines) => {
      const item: JsonObject = isNamed ? places.document(admitted) : {};
      if (range !== undefined) places.addRange(item, lines, server, range);
      defineAll(item, details);
      return item;
    },
  };
}

/** A server's diagnostic as an item; its message is cut when it is very long. */
function readDiagnostic(
  call: CallState,
  server: LanguageServer,
  uri: string,
  entry: unknown,
): RawItem<JsonObject> & { range: Range } {
  const members = isTable(entry) ? entry : {};
  // LSP 3.18 allows markup as the message.
  const message = isTable(members.message) ? members.message.value : members.message;
  if (!isRange(members.range) || typeof message !== "string")
    throw invalidReply(server, "a list of diagnostics");
  const { diagnosticChars } = call.plan.limits;
  const kept = cutCharacters(message, diagnosticChars);
  if (kept.cut) call.evidence.truncated(`A message is longer than ${diagnosticChars} characters.`);
  // LSP leaves a missing severity to the client; it counts as an error.
  const details: JsonObject = { severity: wordOf(severities, members.severity) ?? "error" };
  const code = codeOf(members.code);
  if (code !== undefined) details.code = code;
  if (typeof members.source === "string") details.source = members.source;
  details.message = kept.cut ? detached(kept.text) : kept.text;
  return { server, uri, range: members.range, details };
}

/** A server's diagnostic, rendered without its file. */
export async function renderDiagnostic(
  call: CallState,
  server: LanguageServer,
  uri: string,
  entry: unknown,
): Promise<JsonObject> {
  const { range, details } = readDiagnostic(call, server, uri, entry);
  return { ...(await call.places.span(server, uri, range)), ...details };
}

function codeOf(code: unknown): string | undefined {
  if (isTable(code)) return codeOf(code.value);
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}
