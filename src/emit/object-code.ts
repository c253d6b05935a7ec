/**
 * The validator of an object, made of the validators of its members. Tools have most members in common, and a member's code
 * is the same wherever it stands, so it is compiled once for all tools; what is new in a tool is only which members it has.
 */
import { isTable, type JsonObject } from "../base/json.js";
import { lit } from "./literal.js";

/** Code that gives a validator: statements, the name that holds it, and which helpers it uses. */
export interface SchemaCode {
  helpers: readonly string[];
  statements: string;
  name: string;
}

/** A closed object's schema, taken apart. */
export interface ObjectParts {
  members: readonly (readonly [name: string, schema: JsonObject])[];
  required: readonly string[];
  /** What else is said of the object as a whole. */
  rest: JsonObject | null;
}

const ownKeywords: ReadonlySet<string> = new Set(["type", "properties", "required", "additionalProperties"]);

/** Keywords that reach beyond the schema that they stand in: such a schema cannot be taken apart. */
const reaching: ReadonlySet<string> = new Set([
  ...["$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions"],
  ...["patternProperties", "unevaluatedProperties", "unevaluatedItems"],
]);

/** The parts of a closed object's schema, or undefined when it is none that can be taken apart. */
export function objectParts(schema: JsonObject): ObjectParts | undefined {
  const { type, properties, required = [], additionalProperties } = schema;
  if (type !== "object" || additionalProperties !== false || !isTable(properties)) return undefined;
  const members = Object.entries(properties);
  if (!members.every((entry): entry is [string, JsonObject] => isTable(entry[1]))) return undefined;
  if (!Array.isArray(required) || !required.every((name) => typeof name === "string")) return undefined;
  if (reaches(schema)) return undefined;
  const rest = Object.entries(schema).filter(([keyword]) => !ownKeywords.has(keyword));
  return { members, required, rest: rest.length === 0 ? null : Object.fromEntries(rest) };
}

/** A member may have such a name too; then the object is compiled as a whole, which is as right. */
function reaches(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(reaches);
  return (
    isTable(value) && Object.entries(value).some(([key, member]) => reaching.has(key) || reaches(member))
  );
}

/** The helper that every object's code uses: its lines are the same for all, so they need no names from a schema. */
export const objectHelper = {
  name: "closedObject",
  lines: [
    "const closedObject = (members, required, rest) => {",
    "  const checks = new Map(members);",
    '  const validate = (value, { instancePath = "" } = {}) => {',
    "    const errors = [];",
    "    const tell = (keyword, params, message) => errors.push({ instancePath, keyword, params, message });",
    "    const add = (check, part, path) => check(part, { instancePath: path }) || errors.push(...check.errors);",
    '    if (typeof value !== "object" || value === null || Array.isArray(value))',
    '      tell("type", { type: "object" }, "must be object");',
    "    else {",
    "      for (const name of required)",
    "        if (!Object.hasOwn(value, name) || value[name] === undefined)",
    '          tell("required", { missingProperty: name }, "must have required property \'" + name + "\'");',
    "      for (const name of Object.keys(value))",
    "        if (!checks.has(name))",
    '          tell("additionalProperties", { additionalProperty: name }, "must NOT have additional properties");',
    "      for (const [name, check] of checks)",
    "        if (Object.hasOwn(value, name) && value[name] !== undefined)",
    '          add(check, value[name], instancePath + "/" + name.replaceAll("~", "~0").replaceAll("/", "~1"));',
    "    }",
    "    if (rest !== undefined) add(rest, value, instancePath);",
    "    validate.errors = errors.length === 0 ? null : errors;",
    "    return errors.length === 0;",
    "  };",
    "  return validate;",
    "};",
  ],
} as const;

/** An object's code in two halves: what its parts have said already, and what names them. */
export interface ObjectCode {
  /** The code of each part, under the name that the own half knows it by. */
  checks: readonly (readonly [name: string, code: SchemaCode])[];
  own: SchemaCode;
}

/** The code of an object from that of its parts; equal parts stand there once. */
export function objectCode(parts: ObjectParts, codeOf: (schema: JsonObject) => SchemaCode): ObjectCode {
  const names = new Map<SchemaCode, string>();
  const nameOf = (schema: JsonObject): string => {
    const code = codeOf(schema);
    const name = names.get(code) ?? `check${names.size}`;
    names.set(code, name);
    return name;
  };
  const members = parts.members.map(([name, schema]) => `    [${lit(name)}, ${nameOf(schema)}],\n`);
  const rest = parts.rest === null ? "" : `  ${nameOf(parts.rest)},\n`;
  const list = members.length === 0 ? "[]" : `[\n${members.join("")}  ]`;
  const statements = `const validate = closedObject(\n  ${list},\n  ${lit([...parts.required])},\n${rest});`;
  return {
    checks: [...names].map(([code, name]) => [name, code]),
    own: { helpers: [objectHelper.name], statements, name: "validate" },
  };
}

/** Both halves together. */
export function joinObjectCode({ checks, own }: ObjectCode): SchemaCode {
  const before = checks.map(
    ([name, code]) => `const ${name} = (() => {\n${code.statements}\nreturn ${code.name};\n})();\n`,
  );
  return {
    helpers: [...own.helpers, ...checks.flatMap(([, { helpers }]) => helpers)],
    statements: `${before.join("")}${own.statements}`,
    name: own.name,
  };
}
