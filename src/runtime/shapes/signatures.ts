/** The signatures of a call, the active one first, then by the number of parameters. */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { cutCharacters } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { table, textOf } from "../answer/answer-text.js";
import { garbled, isCount, listOf, markupText } from "../ask/candidates.js";
import type { Shape } from "./shape.js";

const what = "the signatures of a call";
const DOCUMENTATION_CHARACTERS = 4000;

/** The shape `signatures`. */
export const signatures: Shape = {
  nouns: ["signature", "signatures"],
  async normalize(reply) {
    const items: JsonObject[] = [];
    for (const { server, value } of reply.parts) {
      if (value === null || value === undefined) continue;
      if (!isTable(value) || !Array.isArray(value.signatures)) throw garbled(server, what);
      const active = isCount(value.activeSignature) ? value.activeSignature : 0;
      for (const [index, entry] of value.signatures.entries())
        items.push(readSignature(server, entry, index === active, value.activeParameter));
    }
    const ordered = sortBy(items, (item) => [
      item.active !== true,
      Array.isArray(item.parameters) ? item.parameters.length : 0,
      textOf(item.label),
      canonicalText(item),
    ]);
    return { items: ordered as Json[], beside: {} };
  },
  text: (items) => items.flatMap((item) => signatureLines(table(item))),
};

function readSignature(
  server: LanguageServer | undefined,
  entry: unknown,
  isActive: boolean,
  shared: unknown,
): JsonObject {
  if (!isTable(entry) || typeof entry.label !== "string") throw garbled(server, what);
  const { label } = entry;
  const parameters = listOf(entry.parameters).map((parameter) => readParameter(server, parameter, label));
  const item: JsonObject = { label, active: isActive, parameters };
  const own = entry.activeParameter ?? shared;
  if (isActive && isCount(own) && own < parameters.length) item.active_parameter = own;
  return withDocumentation(item, entry.documentation);
}

/** A parameter's label is a text, or its UTF-16 offsets in the signature. */
function readParameter(
  server: LanguageServer | undefined,
  parameter: unknown,
  signature: string,
): JsonObject {
  if (!isTable(parameter)) throw garbled(server, what);
  const { label, documentation } = parameter;
  const [start, end]: unknown[] = Array.isArray(label) ? label : [];
  const text = isCount(start) && isCount(end) ? signature.slice(start, end) : label;
  if (typeof text !== "string") throw garbled(server, what);
  return withDocumentation({ label: text }, documentation);
}

function withDocumentation(item: JsonObject, documentation: unknown): JsonObject {
  const text = markupText(documentation);
  return text === undefined
    ? item
    : { ...item, documentation: cutCharacters(text, DOCUMENTATION_CHARACTERS).text };
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
