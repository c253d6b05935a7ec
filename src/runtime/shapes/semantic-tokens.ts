/** The shape `semantic_tokens`: the server's relative numbers, made absolute and named by its legend. */
import type { Position, Range } from "vscode-languageserver-protocol";
import { isTable, type JsonObject } from "../../base/json.js";
import { columnsOf, convertColumn, type Lines } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { LspMethod } from "../../protocol/methods.js";
import { semanticTokensFacts } from "../../protocol/shapes/places.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { invalidReply, isCount } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect, comparedAsText, type ItemKind, type RawItem } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { type DocumentEntry, documentEntries, isAskedFor } from "./in-document.js";
import type { Shape } from "./shape.js";

const expected = "semantic tokens";
/** A server may offer only one of these methods; both use one legend. */
const tokenMethods: readonly LspMethod[] = [
  "textDocument/semanticTokens/full",
  "textDocument/semanticTokens/range",
];

export const semanticTokens: Shape = {
  nouns: ["token", "tokens"],
  async normalize(reply, call) {
    const entries = documentEntries(reply, call, expected);
    const [first] = entries;
    const lines = first && (await call.places.lines(first.server, first.uri));
    const files = await collect(call, tokenKind, tokensIn(entries, lines, call));
    return { list: new ItemList(tokenKind, files), beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { type, modifiers, text } = table(item);
      const words = [textOf(type), ...(Array.isArray(modifiers) ? modifiers : [])].join(" ");
      return `${rangeText(item, dialect)}  ${words}  ${textOf(text)}`.trimEnd();
    }),
};

/** Sums of a server's numbers stay numbers. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;
/** A number has no more bits, so a legend has no more modifiers. */
const MAX_BITS = 53;

interface TokenWords {
  type: string;
  modifiers: string[];
}

const tokenKind: ItemKind<TokenWords> = {
  facts: semanticTokensFacts,
  ...comparedAsText(({ type, modifiers }) => `${type} ${modifiers.join(" ")}`),
  render({ server, range, details: { type, modifiers } }, _admitted, places, lines) {
    if (range === undefined) throw invalidReply(server, expected);
    const item: JsonObject = {};
    places.addRange(item, lines, server, range);
    item.type = type;
    item.modifiers = modifiers;
    item.text = textIn(lines, range, server);
    return item;
  },
};

function* tokensIn(
  entries: readonly DocumentEntry[],
  lines: Lines | undefined,
  call: CallState,
): Iterable<RawItem<TokenWords>> {
  for (const { server, uri, entry } of entries) {
    const { types, modifiers: names } = legendOf(server, call);
    for (const { range, type, modifiers } of tokensOf(server, entry, lines)) {
      if (!isAskedFor(call, server, range)) continue;
      const words: TokenWords = {
        type: types[type] ?? "unknown",
        modifiers: names.filter((_, bit) => Math.floor(modifiers / 2 ** bit) % 2 === 1),
      };
      yield { server, uri, range, details: words };
    }
  }
}

/** Five numbers each: lines and characters since the token before, length, type, modifiers. */
function* tokensOf(server: LanguageServer, value: unknown, lines: Lines | undefined) {
  const data = isTable(value) ? value.data : undefined;
  if (!Array.isArray(data) || data.length % 5 !== 0 || !data.every(isCount))
    throw invalidReply(server, expected);
  const start: Position = { line: 0, character: 0 };
  for (let index = 0; index < data.length; index += 5) {
    const [down = 0, along = 0, length = 0, type = 0, modifiers = 0] = data.slice(index, index + 5);
    start.character = Math.min(MAX_NUMBER, down === 0 ? start.character + along : along);
    start.line = Math.min(MAX_NUMBER, start.line + down);
    yield { range: { start: { ...start }, end: endOf(start, length, lines, server) }, type, modifiers };
  }
}

/** A token may span lines; line endings count as characters. */
function endOf(start: Position, length: number, lines: Lines | undefined, server: LanguageServer): Position {
  let { line, character } = start;
  let left = length;
  while (lines !== undefined && line < lines.count - 1) {
    const room = columnsOf(lines.line(line), server.encoding) - character;
    if (left <= room) break;
    left -= room + lines.start(line + 1) - lines.start(line) - lines.line(line).length;
    line++;
    character = 0;
  }
  return { line, character: character + Math.max(0, left) };
}

function textIn(lines: Lines | undefined, { start, end }: Range, { encoding }: LanguageServer): string {
  if (lines === undefined) return "";
  const line = lines.line(start.line);
  const from = convertColumn(line, start.character, encoding, "utf-16");
  if (end.line !== start.line) return line.slice(from);
  return line.slice(from, convertColumn(line, end.character, encoding, "utf-16"));
}

function legendOf(server: LanguageServer, call: CallState): { types: string[]; modifiers: string[] } {
  const options = tokenMethods.flatMap((method) => server.options(method, call.evidence.target?.document));
  const legend = options.flatMap((option) =>
    isTable(option) && isTable(option.legend) ? [option.legend] : [],
  )[0];
  return {
    types: wordsOf(legend?.tokenTypes),
    modifiers: wordsOf(legend?.tokenModifiers).slice(0, MAX_BITS),
  };
}

function wordsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
