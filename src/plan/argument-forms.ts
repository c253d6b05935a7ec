/** A declared argument → ArgPlan, with the arguments inside lists and objects. Keys of another type are reported. */
import type { ArgForm, ArgPlan } from "../abi/plan.js";
import { canonical, type Json } from "../base/json.js";
import { sortBy } from "../base/order.js";
import type { ArgConfig } from "../config/schema/argument.js";
import { hasPlace, isPlaceType, placeMembers } from "../protocol/place-arguments.js";
import { patternProblem } from "./arg-pattern.js";
import { violation } from "./argument-values.js";
import { withDefaults } from "./defaults.js";
import type { Report } from "./report.js";

/** Members of every object: an argument of that name would seem to be present in every call. */
const unsafeNames = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];

export const noBounds: Pick<ArgPlan, "enum" | "minLength" | "maxLength" | "minimum" | "maximum" | "beyond"> =
  {
    enum: null,
    minLength: null,
    maxLength: null,
    minimum: null,
    maximum: null,
    beyond: "refuse",
  };

/** Most lists and objects within each other. */
const mostDepth = 4;
const usualItems = 1000;
/** Most places of one argument; their files are read, and kept until the call ends. */
const mostPlaces = 100;

const keysOf = {
  string: ["pattern", "format"],
  list: ["items", "min_items", "max_items"],
  object: ["properties"],
  file: ["exists", "target"],
  inFile: ["of", "target"],
  place: ["target"],
} as const satisfies { [form: string]: readonly (keyof ArgConfig)[] };

const formKeys = [...new Set(Object.values(keysOf).flat())];

/** An argument; `depth` is the number of lists and objects that it is in, `count` how many of it a call may have. */
export function buildArg(name: string, arg: ArgConfig, depth: number, report: Report, count = 1): ArgPlan {
  const message = `An argument cannot be called \`${name}\`.`;
  if (unsafeNames.includes(name)) report.add("plan/bad-tool", message, "Rename the argument.");
  const plan: ArgPlan = {
    name,
    type: arg.type,
    description: arg.description ?? "",
    required: arg.default === undefined && arg.required !== false,
    default: canonical((arg.default ?? null) as Json),
    ...withDefaults(noBounds, arg),
    form: buildForm(arg, depth, report, count),
  };
  checkBounds(arg, plan, report);
  return plan;
}

function checkBounds(arg: ArgConfig, plan: ArgPlan, report: Report): void {
  const { name } = plan;
  const bad = (key: string, message: string) =>
    report.at(key).add("plan/bad-tool", message, "Correct the argument.");
  const isText = arg.type === "string" || arg.type === "string_list";
  const isNumber = arg.type === "integer" || arg.type === "number";
  const textKeys = ["min_length", "max_length"] as const;
  const numberKeys = ["minimum", "maximum", "beyond"] as const;
  const enumKey = ["enum"] as const;
  const foreign = [
    ...(isText ? [] : textKeys),
    ...(isNumber ? [] : numberKeys),
    ...(isText || isNumber ? [] : enumKey),
  ];
  for (const key of foreign)
    if (arg[key] !== undefined) bad(key, `\`${key}\` has no meaning for the ${arg.type} \`${name}\`.`);
  if ((arg.min_length ?? 0) > (arg.max_length ?? Number.POSITIVE_INFINITY))
    bad("min_length", `\`min_length\` of \`${name}\` is above its \`max_length\`.`);
  if ((arg.minimum ?? Number.NEGATIVE_INFINITY) > (arg.maximum ?? Number.POSITIVE_INFINITY))
    bad("minimum", `\`minimum\` of \`${name}\` is above its \`maximum\`.`);
  if (arg.enum !== undefined && new Set(arg.enum).size < arg.enum.length)
    bad("enum", `\`enum\` of \`${name}\` names a value twice.`);
  const type = arg.type === "string_list" ? "string" : arg.type;
  const isMisfit = (value: string | number) => violation(value, { type }) !== undefined;
  if ((isText || isNumber) && arg.enum?.some(isMisfit))
    bad("enum", `\`enum\` of \`${name}\` has a value of another type.`);
  if (arg.default !== undefined && arg.required === true)
    bad("required", `\`${name}\` has a default and cannot be required.`);
  // Places, tables of texts and edits cannot have a default.
  const isNested = arg.type === "list" || arg.type === "object";
  const canDefault = isText || isNumber || arg.type === "boolean" || (isNested && !hasPlace(plan));
  if (arg.default !== undefined && (!canDefault || violation(arg.default, plan) !== undefined))
    bad("default", `The default of \`${name}\` is not a value that the argument takes.`);
}

/** The form of an argument; a key of another type is reported. */
function buildForm(arg: ArgConfig, depth: number, report: Report, count: number): ArgForm | null {
  const allowed: readonly string[] = allowedKeys(arg);
  for (const key of formKeys)
    if (arg[key] !== undefined && !allowed.includes(key))
      report
        .at(key)
        .add("plan/bad-tool", `\`${key}\` has no meaning for the type \`${arg.type}\`.`, "Remove it.");
  if (depth > 0 && arg.target === true)
    report
      .at("target")
      .add("plan/bad-tool", "A call points at an argument, not at a part of one.", "Remove it.");
  if (depth > 0 && arg.beyond === "clamp")
    report
      .at("beyond")
      .add("plan/bad-tool", "Only an argument itself is clamped, not a part of one.", "Remove it.");
  if (depth > mostDepth) {
    report.add(
      "plan/bad-tool",
      `Arguments are nested deeper than ${mostDepth} levels.`,
      "Flatten the argument.",
    );
    return null;
  }
  if (isPlaceType(arg.type)) {
    if (count > mostPlaces)
      report.add(
        "plan/bad-tool",
        `A call could name ${count} places, and each is a file to read; ${mostPlaces} are allowed.`,
        "Lower `max_items` of the list.",
      );
    return placeForm(arg);
  }
  if (arg.type === "string") return textForm(arg, report, count);
  if (arg.type === "list") return listForm(arg, depth, report, count);
  return arg.type === "object" ? objectForm(arg, depth, report, count) : null;
}

function allowedKeys({ type }: ArgConfig): readonly (keyof ArgConfig)[] {
  if (type === "path" || type === "uri") return keysOf.file;
  if (type === "position" || type === "range") return keysOf.inFile;
  if (isPlaceType(type)) return keysOf.place;
  return type === "string" || type === "list" || type === "object" ? keysOf[type] : [];
}

function placeForm({ exists = true, of }: ArgConfig): ArgForm {
  return { kind: "place", exists: exists === "any" ? null : exists, inDocument: of === "document" };
}

function textForm(
  { pattern, format, max_length: maxLength }: ArgConfig,
  report: Report,
  count: number,
): ArgForm | null {
  if (pattern === undefined && format === undefined) return null;
  const why = pattern === undefined ? undefined : patternProblem(pattern, maxLength ?? null, count);
  if (why !== undefined)
    report.at("pattern").add("plan/bad-tool", `The pattern ${why}.`, "Write a simpler pattern.");
  return { kind: "text", pattern: why === undefined ? (pattern ?? null) : null, format: format ?? null };
}

function listForm(arg: ArgConfig, depth: number, report: Report, count: number): ArgForm | null {
  const { items, min_items: least } = arg;
  const most = arg.max_items ?? (items !== undefined && isPlaceType(items.type) ? mostPlaces : usualItems);
  if (items === undefined) {
    report.add(
      "plan/bad-tool",
      "A list needs `items`.",
      'Say what its items are: `items = { type = "string" }`.',
    );
    return null;
  }
  if ((least ?? 0) > most) report.at("min_items").add("plan/bad-tool", "`min_items` is above `max_items`.");
  const item = buildArg("item", items, depth + 1, report.at("items"), count * most);
  return { kind: "list", items: item, minItems: least ?? null, maxItems: most };
}

function objectForm({ properties }: ArgConfig, depth: number, report: Report, count: number): ArgForm | null {
  if (properties === undefined) {
    const fix = 'Name its members: `properties = { name = { type = "string" } }`.';
    report.add("plan/bad-tool", "An object needs `properties`.", fix);
    return null;
  }
  const members = Object.entries(properties).map(([name, member]) =>
    buildArg(name, member, depth + 1, report.at("properties", name), count),
  );
  return { kind: "object", properties: sortBy(members, ({ name }) => [name]) };
}

/** The names that references may use: the argument, its members and the members of places, as `to.uri`. */
export function referenceNames(args: { [name: string]: ArgConfig } = {}, prefix = "", depth = 0): string[] {
  return Object.entries(args).flatMap(([name, arg]) => {
    const own = `${prefix}${name}`;
    const inside = depth <= mostDepth ? referenceNames(arg.properties, `${own}.`, depth + 1) : [];
    const members = isPlaceType(arg.type) ? placeMembers[arg.type].map((member) => `${own}.${member}`) : [];
    return [own, ...inside, ...members];
  });
}
