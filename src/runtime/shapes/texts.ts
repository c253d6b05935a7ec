/**
 * The shapes without a place of their own: `hover`, `signatures`, `monikers`, and the plain values `text` and `json`.
 */
import type { OutputPlan } from "../../abi/plan.js";
import {
  canonicalText,
  define,
  fromPointer,
  getAt,
  isTable,
  type Json,
  type JsonObject,
} from "../../base/json.js";
import { sortBy, sortByInTurns, uniqueBy } from "../../base/order.js";
import { cutCharacters } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { toSpan } from "../answer/places.js";
import {
  invalidReply,
  isCount,
  isRange,
  listOf,
  markupText,
  type ReplyPart,
  wholeValue,
} from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { withoutEntities } from "./markdown-entities.js";
import type { Normalized, Shape } from "./shape.js";

const signaturesName = "the signatures of a call";

/** Hover texts as Markdown: from a string, a marked string, a list of those, or markup content. */
export const hover: Shape = {
  nouns: undefined,
  async normalize(reply, { evidence, tool, places, plan: { limits } }): Promise<Normalized> {
    const { hoverParts, hoverChars } = limits;
    const found = reply.parts.flatMap(contentsOf).filter(({ value }) => value.trim() !== "");
    const unique = uniqueBy(found, ({ kind, value }) => `${kind} ${value}`);
    const texts = tool.output.marked ? sortBy(unique, ({ kind, value }) => [kind, value]) : unique;
    if (texts.length > hoverParts)
      evidence.truncated(`Only ${hoverParts} of ${texts.length} parts are shown.`);
    const items = texts.slice(0, hoverParts).map(({ kind, value }): Json => {
      const kept = cutCharacters(value, hoverChars);
      if (kept.cut) evidence.truncated(`A part is longer than ${hoverChars} characters and was cut.`);
      const text = kind === "markdown" ? withoutEntities(kept.text) : kept.text;
      return tool.output.marked ? { kind, value: text } : text;
    });
    const uri = evidence.document?.admitted.uri;
    for (const { server, value } of reply.parts) {
      const range = isTable(value) ? value.range : undefined;
      if (server === undefined || uri === undefined || !isRange(range)) continue;
      const lines = await places.lines(server, uri);
      const { start, end } = toSpan(lines, range, server.encoding, "utf-16");
      return {
        items,
        beside: {
          ...joined(items, tool.output, { start: { ...start }, end: { ...end } }),
          range: places.rangeValue(lines, server, range),
        },
      };
    }
    return { items, beside: joined(items, tool.output) };
  },
  shorten(items, { range, ...rest }, characters, { tool: { output } }) {
    const shorter = items.map((item): Json => {
      const { text } = cutCharacters(hoverText(item), characters);
      return typeof item === "string" ? text : { ...table(item), value: text };
    });
    const raw = output.raw === undefined ? {} : table(rest[output.raw]);
    const beside = joined(shorter, output, isTable(raw.range) ? (raw.range as JsonObject) : undefined);
    return { items: shorter, beside: range === undefined ? beside : { ...beside, range } };
  },
  text(items, beside, dialect) {
    if (items.length === 0) return ["There is no hover text at this position."];
    const shown = dialect.position.answers === "object" ? beside : (beside.range ?? null);
    const range = beside.range === undefined ? [] : [`Range: ${rangeText(shown, dialect)}`];
    return [...range, ...items.map(hoverText)];
  },
};

/** All texts as one, where the tool has members for it: a text, and a hover in LSP's form. */
function joined(
  items: readonly Json[],
  { joined: member, raw }: Pick<OutputPlan, "joined" | "raw">,
  range?: JsonObject,
): JsonObject {
  const value = items.map(hoverText).join("\n\n");
  const hover = { contents: { kind: "markdown", value }, ...(range === undefined ? {} : { range }) };
  return {
    ...(member === undefined ? {} : { [member]: value }),
    ...(raw === undefined ? {} : { [raw]: items.length === 0 ? null : hover }),
  };
}

function hoverText(item: Json): string {
  return typeof item === "string" ? item : textOf(table(item).value);
}

function contentsOf({ server, value }: ReplyPart): { kind: "markdown" | "plaintext"; value: string }[] {
  if (value === null || value === undefined) return [];
  if (!isTable(value)) throw invalidReply(server, "a hover");
  return listOf(value.contents).map((content) => {
    if (typeof content === "string") return { kind: "markdown", value: content };
    if (!isTable(content) || typeof content.value !== "string") throw invalidReply(server, "a hover");
    if (typeof content.language === "string")
      return { kind: "markdown", value: fenced(content.value, content.language) };
    return { kind: content.kind === "plaintext" ? "plaintext" : "markdown", value: content.value };
  });
}

/** A code block with a fence longer than any in the code. */
function fenced(code: string, language: string): string {
  let longest = 2;
  for (const [ticks] of code.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

/** The signatures of a call, the active one first, then by the number of parameters. */
export const signatures: Shape = {
  nouns: ["signature", "signatures"],
  async normalize(reply, call) {
    const turns = new Turns(call.signal);
    const items: JsonObject[] = [];
    const { signatureChars: maxChars } = call.plan.limits;
    for (const { server, value } of reply.parts) {
      if (value === null || value === undefined) continue;
      if (!isTable(value) || !Array.isArray(value.signatures)) throw invalidReply(server, signaturesName);
      const active = isCount(value.activeSignature) ? value.activeSignature : 0;
      for (const [index, entry] of value.signatures.entries()) {
        const isActive = index === active;
        items.push(readSignature(server, entry, { isActive, shared: value.activeParameter, maxChars }));
        if (turns.isDue) await turns.yield();
      }
    }
    const ordered = await sortByInTurns(
      items,
      (item) => [
        item.active !== true,
        Array.isArray(item.parameters) ? item.parameters.length : 0,
        textOf(item.label),
        canonicalText(item),
      ],
      turns,
    );
    return { items: ordered as Json[], beside: {} };
  },
  text: (items) => items.flatMap((item) => signatureLines(table(item))),
};

function readSignature(
  server: LanguageServer | undefined,
  entry: unknown,
  { isActive, shared, maxChars }: { isActive: boolean; shared: unknown; maxChars: number },
): JsonObject {
  if (!isTable(entry) || typeof entry.label !== "string") throw invalidReply(server, signaturesName);
  const { label } = entry;
  const parameters = listOf(entry.parameters).map((parameter): JsonObject => {
    const members = isTable(parameter) ? parameter : {};
    // A parameter's label is a text, or its UTF-16 offsets in the signature.
    const [start, end]: unknown[] = Array.isArray(members.label) ? members.label : [];
    const text = isCount(start) && isCount(end) ? label.slice(start, end) : members.label;
    if (typeof text !== "string") throw invalidReply(server, signaturesName);
    return withDocumentation({ label: text }, members.documentation, maxChars);
  });
  const item: JsonObject = { label, active: isActive, parameters };
  const own = entry.activeParameter ?? shared;
  if (isActive && isCount(own) && own < parameters.length) item.active_parameter = own;
  return withDocumentation(item, entry.documentation, maxChars);
}

function withDocumentation(item: JsonObject, documentation: unknown, maxChars: number): JsonObject {
  const text = markupText(documentation);
  return text === undefined ? item : { ...item, documentation: cutCharacters(text, maxChars).text };
}

function signatureLines(item: JsonObject): string[] {
  const parameters = (Array.isArray(item.parameters) ? item.parameters : []).map(table);
  const lines = parameters.map(({ label, documentation }, index) => {
    const mark = item.active_parameter === index ? "> " : "  ";
    const more = documentation === undefined ? "" : `: ${textOf(documentation).replaceAll(/\s+/g, " ")}`;
    return `  ${mark}${textOf(label)}${more}`;
  });
  const documentation = item.documentation === undefined ? [] : textOf(item.documentation).split("\n");
  return [
    `${item.active === true ? "* " : ""}${textOf(item.label)}`,
    ...lines,
    ...documentation.map((line) => `  ${line}`),
  ];
}

/** The names of a symbol across projects. */
export const monikers: Shape = {
  nouns: ["moniker", "monikers"],
  async normalize(reply) {
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      for (const entry of listOf(value)) {
        const { scheme, identifier, unique, kind } = isTable(entry) ? entry : {};
        if (typeof scheme !== "string" || typeof identifier !== "string" || typeof unique !== "string")
          throw invalidReply(server, "a list of monikers");
        const item: JsonObject = { scheme, identifier, unique };
        items.push(typeof kind === "string" ? { ...item, kind } : item);
      }
    }
    return { items, beside: {} };
  },
  text: (items) =>
    items.map((item) => {
      const { scheme, identifier, unique, kind } = table(item);
      const role = kind === undefined ? "" : `, ${textOf(kind)}`;
      return `${textOf(scheme)} ${textOf(identifier)}  (unique in its ${textOf(unique)}${role})`;
    }),
};

/** One text from a server's reply, or null when there is none. */
export const text: Shape = {
  nouns: undefined,
  async normalize(reply, _call, options) {
    const value = getAt(wholeValue(reply), fromPointer(options.at ?? ""));
    const found = isTable(value) && typeof value.value === "string" ? value.value : (value ?? null);
    if (found !== null && typeof found !== "string") throw invalidReply(reply.parts[0]?.server, "a text");
    const beside: JsonObject = { text: found };
    return { items: [], beside: options.language ? { ...beside, language: options.language } : beside };
  },
  shorten: (items, beside, characters) => ({
    items,
    beside: { ...beside, text: cutCharacters(textOf(beside.text), characters).text },
  }),
  text(_items, beside) {
    if (beside.text === null) return ["The server has no text for this."];
    const body = textOf(beside.text);
    return [beside.language === undefined ? body : fenced(body, textOf(beside.language))];
  },
};

/** The value as the server or the steps gave it; file URIs outside the roots are masked. */
export const json: Shape = {
  nouns: undefined,
  async normalize(reply, call, options) {
    const value = getAt(wholeValue(reply), fromPointer(options.at ?? "")) ?? null;
    return { items: [], beside: { value: withoutOutside(value as Json, call) } };
  },
  text: (_items, beside) => JSON.stringify(beside.value, null, 1).split("\n"),
};

/** A value in which file URIs outside the roots are masked. */
export function withoutOutside(value: Json, call: CallState): Json {
  if (typeof value === "string") return maskedText(value, call);
  if (Array.isArray(value)) return value.map((item) => withoutOutside(item, call));
  if (!isTable(value)) return value;
  const masked: JsonObject = {};
  for (const [key, member] of Object.entries(value as JsonObject))
    define(masked, maskedText(key, call), withoutOutside(member, call));
  return masked;
}

function maskedText(text: string, call: CallState): string {
  if (!/^file:/i.test(text) || call.places.show(text) !== undefined) return text;
  call.evidence.drop(text);
  return "(outside the workspace)";
}
