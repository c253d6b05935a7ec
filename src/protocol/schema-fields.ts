/** Builds closed object schemas from groups of members, and the schemas of single members. */
import type { JsonObject } from "../base/json.js";

export const text: JsonObject = { type: "string" };
export const texts: JsonObject = { type: "array", items: text };
export const count: JsonObject = { type: "integer", minimum: 0 };
export const flag: JsonObject = { type: "boolean" };

/** Members of an object schema. */
export interface Fields {
  properties: JsonObject;
  required: string[];
}

/** Members that are always present. */
export const required = (properties: JsonObject): Fields => ({
  properties,
  required: Object.keys(properties),
});

/** Members that may be absent. */
export const optional = (properties: JsonObject): Fields => ({ properties, required: [] });

export const none: Fields = optional({});

/** Several groups of members as one. */
export function joinFields(...groups: Fields[]): Fields {
  return {
    properties: Object.assign({}, ...groups.map((group) => group.properties)),
    required: [...new Set(groups.flatMap((group) => group.required))],
  };
}

/** A closed object schema with all members of these groups. */
export function closed(...groups: Fields[]): JsonObject {
  const { properties, required } = joinFields(...groups);
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}
