/** The sort key of an item in an answer, from its shape and the dialect. A missing part sorts last. */
import type { DialectPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import type { KeyPart } from "../base/order.js";
import { documentKey, spanNames } from "./dialect-format.js";
import { severities } from "./kinds.js";
import type { ShapeFacts } from "./shapes.js";

/** The sort key. Items with equal keys are sorted by their canonical text. */
export function itemKey(shape: ShapeFacts, item: unknown, dialect: DialectPlan): KeyPart[] {
  if (!isTable(item)) return [];
  return shape.order.flatMap((key) => parts(key, item, dialect));
}

function parts(key: string, item: Record<string, unknown>, dialect: DialectPlan): KeyPart[] {
  switch (key) {
    case "document":
      return [part(item[documentKey(dialect)])];
    case "range":
      return dialect.position.answers === "object"
        ? objectRange(item.range, dialect)
        : Object.values(spanNames(dialect)).map((name) => part(item[name]));
    case "place":
      return place(dialect.position.answers === "object" ? item.position : item, dialect);
    case "severity":
      return [severityRank(item.severity)];
    default:
      return [part(item[key])];
  }
}

function objectRange(range: unknown, dialect: DialectPlan): KeyPart[] {
  const table = isTable(range) ? range : {};
  return [...place(table.start, dialect), ...place(table.end, dialect)];
}

function place(point: unknown, dialect: DialectPlan): KeyPart[] {
  const table = isTable(point) ? point : {};
  return [part(table[dialect.position.line]), part(table[dialect.position.character])];
}

function severityRank(word: unknown): KeyPart {
  const rank = (severities as readonly unknown[]).indexOf(word);
  return rank < 0 ? undefined : rank;
}

function part(value: unknown): KeyPart {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}
