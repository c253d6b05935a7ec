/**
 * Arguments that are places: a file, or a place in one. Their schemas are in the dialect's form; references may name a
 * place as a whole or one of its members.
 */
import type { ArgPlan, DialectPlan, PlaceType, ToolPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { documentFields, spanNames } from "./dialect-format.js";
import { documentArgument, pointArgument, symbolArgument } from "./pointing.js";
import { closed, none, required } from "./schema-fields.js";

/** Members that any step may use: texts. */
export const fileMembers: readonly string[] = ["uri", "path", "absolute_path"];

const inParameters: readonly string[] = [...fileMembers, "text_document"];

/** The members that a reference may name, such as `input.to.uri`. */
export const placeMembers: { readonly [type in PlaceType]: readonly string[] } = {
  path: inParameters,
  uri: inParameters,
  position: [...inParameters, "position"],
  range: [...inParameters, "range"],
  symbol: [...inParameters, "position", "name"],
  item: [...inParameters, "position"],
};

export function isPlaceType(type: string): type is PlaceType {
  return Object.hasOwn(placeMembers, type);
}

/** Whether an argument is a place or contains one. */
export function hasPlace({ form }: Pick<ArgPlan, "form">): boolean {
  if (form === null) return false;
  if (form.kind === "list") return hasPlace(form.items);
  return form.kind === "object" ? form.properties.some(hasPlace) : form.kind === "place";
}

/** Whether a call may give the target instead of the pointing arguments, so that none of them is required. */
export function isInsteadOfPointing({ target, args }: Pick<ToolPlan, "target" | "args">): boolean {
  const form = args.find(({ name }) => name === target)?.form;
  return form?.kind === "place" && !form.inDocument;
}

/** Whether an argument may name a symbol, of which there may be several. */
export function namesSymbol({ type, form }: Pick<ArgPlan, "type" | "form">): boolean {
  if (form?.kind === "list") return namesSymbol(form.items);
  return form?.kind === "object" ? form.properties.some(namesSymbol) : type === "symbol";
}

const fileName: JsonObject = { type: "string", minLength: 1, maxLength: 4096 };

/** The schema of a place, without its description. */
export function placeSchema(
  type: PlaceType,
  { inDocument }: { inDocument: boolean },
  dialect: DialectPlan,
): JsonObject {
  const names = spanNames(dialect);
  const point = pointArgument(names.line, names.character, dialect, "");
  const file = inDocument ? none : documentArgument(dialect);
  switch (type) {
    case "path":
    case "uri":
      return { ...fileName };
    case "position":
      return closed(file, point);
    case "range":
      return closed(file, required({ start: closed(point), end: closed(point) }));
    case "symbol":
      return closed(symbolArgument(dialect));
    case "item":
      return open(closed(documentFields(dialect), itemPoint(dialect)));
  }
}

/** Where an item of an answer begins. */
function itemPoint(dialect: DialectPlan) {
  const { line, character } = spanNames(dialect);
  const point = pointArgument(line, character, dialect, "");
  if (dialect.position.answers === "flat") return point;
  return required({ range: open(closed(required({ start: closed(point) }))) });
}

/** Items have members besides their place. */
function open({ additionalProperties: _, ...schema }: JsonObject): JsonObject {
  return schema;
}
