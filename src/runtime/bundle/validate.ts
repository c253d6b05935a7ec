/**
 * Checks arguments, replies and answers with the bundle's validators.
 * Issues name the place and the rule, never the value.
 */
import type { Validator } from "../../abi/bundle.js";
import type { ArgForm, ArgPlan, Plan, ToolPlan } from "../../abi/plan.js";
import { argumentMeant } from "../../base/argument-hint.js";
import { define, fromPointer, getAt, isTable, type JsonObject, toPointer } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Evidence } from "../answer/evidence.js";
import { largest } from "../answer/fit-answer.js";
import type { CallState } from "../call-state.js";

const MAX_ISSUES = 10;
const MAX_ARGUMENT_BYTES = 1024 * 1024;
const NAME_CHARACTERS = 64;
const VALUE_CHARACTERS = 400;

type ValidationError = NonNullable<Validator["errors"]>[number];

/** An error at one place of a value. */
interface Issue {
  path: string;
  keyword: string;
  message: string;
  /** The rule in the schema. */
  schemaPath: string;
  /** Whether it is an argument that the tool does not have, and the most similar one that it has. */
  isUnknown?: boolean;
  near?: string | undefined;
}

/** A copy of the arguments with defaults filled in; throws a Refusal that names what is wrong and what is known. */
export function checkArguments(
  tool: ToolPlan,
  validate: Validator,
  args: unknown,
  known: readonly string[] = [],
): JsonObject {
  if (args !== undefined && !isTable(args))
    throw invalidArguments([{ path: "", keyword: "type", message: "must be object", schemaPath: "#/type" }]);
  const given = copyOf(args ?? {});
  // Clients that must fill every argument give null for the ones they leave out.
  for (const name of known) {
    if (given[name] === null) delete given[name];
  }
  for (const { name, form } of tool.args) {
    if (form !== null) visitMembers(form, given[name], removeNull);
  }
  if (!validate(given)) throw invalidArguments(issuesOf(validate, known, given), known);
  for (const { name, default: value, form } of tool.args) {
    if (value !== null && !Object.hasOwn(given, name))
      given[name] = form === null ? value : structuredClone(value);
    if (form !== null) visitMembers(form, given[name], fillDefault);
  }
  for (const [field, { name }] of Object.entries(tool.pointing)) {
    if (name === null || !Object.hasOwn(given, name)) continue;
    define(given, field, given[name] ?? null);
    delete given[name];
  }
  if (tool.input.includes("query")) trimQuery(given);
  return given;
}

/** A query without the blanks around it. One of blanks alone is refused: an empty query means every symbol. */
function trimQuery(given: JsonObject): void {
  const { query } = given;
  if (typeof query !== "string" || query === "") return;
  given.query = query.trim();
  const issue = {
    path: "/query",
    keyword: "minLength",
    message: "has only blanks",
    schemaPath: "#/properties/query",
  };
  if (given.query === "") throw invalidArguments([issue]);
}

/** Calls `visit` for each declared member of the objects in a value, the outer objects first. */
function visitMembers(
  form: ArgForm,
  value: unknown,
  visit: (object: { [name: string]: unknown }, member: ArgPlan) => void,
): void {
  if (form.kind === "list" && form.items.form !== null && Array.isArray(value)) {
    for (const item of value) visitMembers(form.items.form, item, visit);
  }
  if (form.kind !== "object" || !isTable(value)) return;
  for (const member of form.properties) {
    visit(value, member);
    if (member.form !== null) visitMembers(member.form, value[member.name], visit);
  }
}

/** Members that are null count as absent, as arguments do. */
function removeNull(object: { [name: string]: unknown }, { name }: ArgPlan): void {
  if (object[name] === null) delete object[name];
}

function fillDefault(object: { [name: string]: unknown }, { name, default: standard }: ArgPlan): void {
  if (standard !== null && !Object.hasOwn(object, name)) define(object, name, structuredClone(standard));
}

function copyOf(args: Record<string, unknown>): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(args);
  } catch (cause) {
    // Only the size of V8's stack limits the depth.
    throw new Refusal("guard/invalid-arguments", "The arguments are nested too deeply.", { cause });
  }
  if (Buffer.byteLength(text) > MAX_ARGUMENT_BYTES)
    throw new Refusal("guard/invalid-arguments", "The arguments are larger than 1 MiB.");
  return JSON.parse(text) as JsonObject;
}

/** The message names the values and rules; the data repeats only the places and rules. */
function invalidArguments(issues: Issue[], known: readonly string[] = []): Refusal {
  const isUnrecognised = issues.some(({ isUnknown, near }) => isUnknown === true && near === undefined);
  const hint = isUnrecognised && known.length > 0 ? ` Known arguments: ${known.join(", ")}.` : "";
  return new Refusal("guard/invalid-arguments", `The arguments are not valid: ${linesOf(issues)}.${hint}`, {
    data: { issues: issues.map(({ path, keyword, schemaPath }) => ({ path, keyword, schemaPath })) },
  });
}

/** Throws a Refusal when a server's reply violates the `result` schema that the config declares for the method. */
export async function checkReply(
  { loaded }: Pick<CallState, "loaded">,
  { plan: { id: serverId } }: Pick<LanguageServer, "plan">,
  method: string,
  value: unknown,
): Promise<void> {
  const validate = await loaded.replyValidator(serverId, method);
  if (validate === undefined || validate(value ?? null)) return;
  // The names of members come from the server: a URI as a name may lie outside the workspace.
  const issues = issuesOf(validate).map((issue) => ({ ...issue, path: withoutUris(issue.path) }));
  throw new Refusal(
    "lsp/invalid-reply",
    `The server ${serverId} answered ${method} with a value that violates its declared result: ${linesOf(issues)}.`,
    { data: { server_id: serverId, method, issues: issues.map((issue) => ({ ...issue })) } },
  );
}

function withoutUris(path: string): string {
  return path.replaceAll(/\/[^/]*(?:file:|~1)[^/]*/gi, "/(path)");
}

/** The errors in an answer of ours; undefined when it is valid. */
export function answerFault(validate: Validator, answer: JsonObject): string | undefined {
  return validate(answer) ? undefined : linesOf(issuesOf(validate));
}

/**
 * The issues of the last validation, sorted and without duplicates.
 * Only values of `given` are compared with allowed ones.
 */
function issuesOf(validate: Validator, known: readonly string[] = [], given?: JsonObject): Issue[] {
  // Skip `if` errors: the `then`/`else` branch reports its own.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== "if");
  const found = errors.map((error) => toIssue(error, known, given));
  const unique = uniqueBy(found, (issue) => `${issue.path} ${issue.keyword}`);
  return sortBy(unique, ({ path, keyword }) => [path, keyword]).slice(0, MAX_ISSUES);
}

function linesOf(issues: readonly Issue[]): string {
  const rule = ({ keyword, isUnknown }: Issue) => (isUnknown ? "" : ` (${keyword})`);
  return issues.map((issue) => `${issue.path || "/"} ${issue.message}${rule(issue)}`).join("; ");
}

function toIssue(error: ValidationError, known: readonly string[], given: JsonObject | undefined): Issue {
  const { missingProperty, additionalProperty } = error.params;
  const name = missingProperty ?? additionalProperty;
  const below = typeof name === "string" ? toPointer([cutCharacters(name, NAME_CHARACTERS).text]) : "";
  const isUnknown = error.keyword === "additionalProperties" && error.instancePath === "";
  const path = `${error.instancePath}${below}`;
  const { keyword, schemaPath = "#" } = error;
  if (!isUnknown)
    return { path, keyword, schemaPath, message: allowedValues(error, given) ?? error.message ?? "" };
  const near = typeof name === "string" ? argumentMeant(name, known) : undefined;
  const message = near === undefined ? "is unknown" : `is unknown, did you mean ${near}?`;
  return { path, keyword, schemaPath, message, isUnknown, near };
}

/** For a value that is not in an `enum`: the allowed values, and the most similar one. */
function allowedValues(
  { keyword, params, instancePath }: ValidationError,
  given: JsonObject | undefined,
): string | undefined {
  const { allowedValues: values } = params;
  if (keyword !== "enum" || !Array.isArray(values)) return undefined;
  const words = values.map((value) => JSON.stringify(value));
  const fitting = (count: number) => {
    const shown = words.slice(0, count).join(", ");
    return shown.length <= VALUE_CHARACTERS ? { shown, rest: words.length - count } : undefined;
  };
  const { shown, rest } = largest(words.length, fitting) ?? { shown: "", rest: words.length };
  const value = getAt(given, fromPointer(instancePath));
  const near =
    typeof value === "string"
      ? nearest(
          value,
          values.filter((one) => typeof one === "string"),
        )
      : undefined;
  const hint = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
  return `must be one of ${shown}${rest > 0 ? ` and ${rest} others` : ""}${hint}`;
}

/** The arguments within their bounds, with a warning for each that was changed. */
export function clampNumbers(tool: ToolPlan, plan: Plan, input: JsonObject, evidence: Evidence): JsonObject {
  let out = input;
  for (const { name, minimum, maximum } of clampedArguments(tool, plan)) {
    const asked = out[name];
    if (typeof asked !== "number") continue;
    const used = Math.min(maximum ?? Number.POSITIVE_INFINITY, Math.max(minimum ?? asked, asked));
    if (used === asked) continue;
    out = { ...out, [name]: used };
    const bound = used < asked ? "at most" : "at least";
    evidence.warn("answer/clamped", `\`${name}\` is ${bound} ${used}; ${asked} was asked for.`, {
      argument: name,
      requested: asked,
      effective: used,
      ...(maximum === null ? {} : { hard: maximum }),
      ...(minimum === null ? {} : { min: minimum }),
    });
  }
  return out;
}

function clampedArguments(tool: ToolPlan, { dialect: { listing }, limits }: Plan) {
  const { maxChars } = tool.output;
  const size = maxChars?.kind === "ref" ? maxChars.ref.name : null;
  const own = tool.args
    .filter((arg) => arg.beyond === "clamp")
    .map(({ name, minimum, maximum }) => ({
      name,
      minimum,
      maximum:
        name === size ? Math.min(maximum ?? limits.maxTotalCharsHard, limits.maxTotalCharsHard) : maximum,
    }));
  if (listing.beyond === "refuse") return own;
  if (tool.page !== null) return [...own, { name: listing.size, minimum: 1, maximum: tool.page.maxSize }];
  return [...own, { name: listing.most, minimum: 1, maximum: tool.maxItems }];
}
