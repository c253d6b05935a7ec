/** The shape `items`: what a step picked, in the order that it gave them. */
import type { DialectPlan } from "../../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import { fileOf, placeText, rangeText, table } from "../answer/answer-text.js";
import type { Shape } from "./shape.js";

const INDENT = "  ";

export const items: Shape = {
  nouns: ["item", "items"],
  async normalize({ parts }, { tool }) {
    const names = tool.output.columns.map(({ name }) => name);
    const rows = parts.map(({ value }): Json => {
      const row: JsonObject = {};
      const picked = table(value as Json);
      for (const name of names) {
        if (picked[name] !== undefined) define(row, name, picked[name]);
      }
      return row;
    });
    return { items: rows, beside: {} };
  },
  shorten: (rows, beside, characters) => ({
    items: rows.map((row): Json => {
      const short: JsonObject = {};
      for (const [name, value] of Object.entries(table(row)))
        define(short, name, typeof value === "string" ? cutCharacters(value, characters).text : value);
      return short;
    }),
    beside,
  }),
  text: (rows, _beside, dialect) =>
    rows.map((row) => {
      const { depth } = table(row);
      const members = Object.entries(table(row)).map(([name, value]) => cell(name, value, dialect));
      const line = members.filter((text) => text !== "").join(INDENT);
      // The items of a tree are indented.
      return typeof depth === "number" ? `${INDENT.repeat(Math.min(depth, 32))}${line}` : line;
    }),
};

/** A member in a line of text: texts and places as they are, anything else after its name. */
function cell(name: string, value: Json, dialect: DialectPlan): string {
  if (typeof value === "string") return value.replaceAll(/\s+/g, " ");
  if (name === "depth" && typeof value === "number") return "";
  const place = isTable(value) ? placeOf(value, dialect) : "";
  return place === "" ? `${name}: ${JSON.stringify(value)}` : place;
}

/** A range, a position or a location; an empty text for any other table. */
function placeOf(value: JsonObject, dialect: DialectPlan): string {
  const isObject = dialect.position.answers === "object";
  const file = fileOf(value, dialect);
  const isSpan = isObject ? isTable(value.start) : value[`end_${dialect.position.line}`] !== undefined;
  if (isObject && isTable(value.range)) return `${file} ${rangeText(value, dialect)}`.trim();
  if (isSpan) return `${file} ${rangeText(isObject ? { range: value } : value, dialect)}`.trim();
  if (value[dialect.position.line] === undefined) return "";
  return placeText(isObject ? { position: value } : value, dialect);
}
