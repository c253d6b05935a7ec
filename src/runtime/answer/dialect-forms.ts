/** Gives the items, symbols and candidates of an answer, and the answer itself, the forms that the dialect declares. */
import { defineAll, isTable, type Json, type JsonObject } from "../../base/json.js";
import { formValue } from "../../protocol/item-form.js";
import type { ToolTexts } from "./answer-text.js";

/** Values with the form of this name; as they are if the dialect has none. */
export function formed<T extends Json>(name: string, values: readonly T[], texts: ToolTexts): Json[] {
  const form = texts.dialect.items?.[name];
  if (form === undefined) return [...values];
  return values.flatMap((value) => formValue(form, value, texts) ?? []);
}

/** Adds the members that the dialect has for answers of a shape. */
export function addMembers(out: JsonObject, shape: string, symbol: Json | undefined, texts: ToolTexts): void {
  const form = texts.dialect.answers?.[shape];
  if (form === undefined) return;
  const added = formValue(form, symbol === undefined ? out : { ...out, symbol }, texts);
  if (isTable(added)) defineAll(out, added as JsonObject);
}
