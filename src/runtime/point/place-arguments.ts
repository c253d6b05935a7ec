/**
 * Arguments that are places, or contain them: each file goes through the gate, each position is found in its text. In
 * the parameters of a request a place is encoded for the server that gets it.
 */
import type { ArgPlan, PlaceType } from "../../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { Fault, Refusal } from "../../base/problem.js";
import type { Lines, PositionEncoding } from "../../base/text.js";
import { documentKey, spanNames } from "../../protocol/dialect-format.js";
import { hasPlace, isPlaceType } from "../../protocol/place-arguments.js";
import { MissingFile, statOrRefuse, strictPathOfUri } from "../../workspace/gate.js";
import type { Admitted } from "../../workspace/gate-types.js";
import { table } from "../answer/answer-text.js";
import { toPoint, toSpan } from "../answer/places.js";
import type { CallState } from "../call-state.js";
import { findSymbol } from "./find-symbol.js";
import { identifierOf, nameAndIndex } from "./symbol-names.js";
import {
  numberIn,
  openTarget,
  type Place,
  placeOf,
  rangeBetween,
  type Target,
  warnPastLineEnd,
} from "./target.js";

/** A position or a range whose columns depend on the server. */
class InColumns {
  constructor(
    private readonly lines: Lines,
    private readonly place: Place | { start: Place; end: Place },
  ) {}

  in(encoding: PositionEncoding): Json {
    if (!("start" in this.place)) return { ...toPoint(this.lines, this.place, "utf-16", encoding) };
    const { start, end } = toSpan(this.lines, this.place, "utf-16", encoding);
    return { start: { ...start }, end: { ...end } };
  }
}

/** A resolved place, with the members that references may name (`placeMembers` in `protocol/place-arguments.ts`). */
class ResolvedPlace {
  readonly uri: string;
  readonly path: string;
  readonly absolute_path: string;
  readonly text_document: JsonObject;
  readonly position: InColumns | undefined;
  readonly range: InColumns | undefined;
  readonly name: string | undefined;

  constructor({ uri, shown, path }: Admitted, target?: Target, name?: string) {
    this.uri = uri;
    this.path = shown;
    this.absolute_path = path;
    this.text_document = { uri };
    this.name = name;
    if (target === undefined) return;
    const { place, range, document } = target;
    this.position = place && new InColumns(document.lines, place);
    this.range = range && new InColumns(document.lines, range);
  }

  /** The value of a reference to the whole argument. */
  get whole(): InColumns | string {
    return this.range ?? this.position ?? this.uri;
  }
}

/** The values of the arguments that are or contain places, by name; absent ones are left out. */
export async function resolvePlaces(call: CallState, input: JsonObject): Promise<{ [name: string]: Json }> {
  const out: { [name: string]: Json } = {};
  const { document, symbol, target } = call.evidence;
  for (const arg of call.tool.args) {
    const value = input[arg.name];
    if (value === undefined || !hasPlace(arg)) continue;
    const known = arg.name === call.tool.target ? target : undefined;
    define(
      out,
      arg.name,
      known === undefined ? await resolved(call, arg, value, arg.name) : placed(call, arg, value, known),
    );
  }
  // The call is still about what it points at.
  Object.assign(call.evidence, { document, symbol });
  return out;
}

/** Checks the file of every place, so that a call with a bad one starts no server and opens no document. */
export async function admitPlaces(call: CallState, input: JsonObject): Promise<void> {
  for (const arg of call.tool.args) {
    const value = input[arg.name];
    if (value !== undefined && hasPlace(arg)) await admitIn(call, arg, value, arg.name);
  }
}

async function admitIn(call: CallState, { type, form }: ArgPlan, value: Json, path: string): Promise<void> {
  if (form?.kind === "list" && Array.isArray(value))
    for (const [index, item] of value.entries()) await admitIn(call, form.items, item, `${path}/${index}`);
  if (form?.kind === "object" && isTable(value))
    for (const member of form.properties) {
      const given = (value as JsonObject)[member.name];
      if (given !== undefined && hasPlace(member))
        await admitIn(call, member, given, `${path}/${member.name}`);
    }
  if (form?.kind !== "place" || form.inDocument) return;
  await naming(path, async () => {
    if (type === "path" || type === "uri") return admitted(call, type, value, form.exists);
    const { dialect } = call.plan;
    const file = table(value)[type === "item" ? documentKey(dialect) : dialect.document.field];
    return typeof file === "string" ? admitNamed(call, file) : undefined;
  });
}

async function admitNamed({ gate, plan }: CallState, file: string): Promise<Admitted> {
  if (plan.dialect.document.form === "uri") strictPathOfUri(file);
  return gate.admit(file);
}

/** The target of the call: its place argument. */
export async function pointAtArgument(call: CallState, input: JsonObject, name: string): Promise<Target> {
  const arg = call.tool.args.find((one) => one.name === name);
  const value = input[name];
  if (arg === undefined || value === undefined) throw new Fault(`the call has no argument ${name}`);
  const file = input[call.plan.dialect.document.field];
  const within = arg.form?.kind === "place" && arg.form.inDocument ? await openNamed(call, file) : undefined;
  return naming(name, () => openPlace(call, arg, value, within));
}

/** Parameters with every place in the columns of a server. */
export function encodePlaces(value: Json, encoding: PositionEncoding): Json {
  const place: unknown = value;
  if (place instanceof ResolvedPlace) return encodePlaces(place.whole as unknown as Json, encoding);
  if (place instanceof InColumns) return place.in(encoding);
  if (Array.isArray(value)) return value.map((item) => encodePlaces(item, encoding));
  if (!isTable(value)) return value;
  const out: JsonObject = {};
  for (const [key, member] of Object.entries(value)) define(out, key, encodePlaces(member as Json, encoding));
  return out;
}

async function resolved(call: CallState, arg: ArgPlan, value: Json, path: string): Promise<Json> {
  const { form } = arg;
  if (form?.kind === "list" && Array.isArray(value)) {
    const items: Json[] = [];
    for (const [index, item] of value.entries())
      items.push(await resolved(call, form.items, item, `${path}/${index}`));
    return items;
  }
  if (form?.kind === "object" && isTable(value)) {
    const out: JsonObject = { ...(value as JsonObject) };
    for (const member of form.properties) {
      const given = out[member.name];
      if (given !== undefined && hasPlace(member))
        define(out, member.name, await resolved(call, member, given, `${path}/${member.name}`));
    }
    return out;
  }
  if (form?.kind !== "place") return value;
  return naming(path, async () => {
    if (arg.type === "path" || arg.type === "uri")
      return sealed(new ResolvedPlace(await admitted(call, arg.type, value, form.exists)));
    return placed(call, arg, value, await openPlace(call, arg, value, call.evidence.target));
  });
}

function placed({ plan: { dialect } }: CallState, arg: ArgPlan, value: Json, target: Target): Json {
  const given = arg.type === "symbol" ? table(value)[dialect.symbol.name] : undefined;
  const name = typeof given === "string" ? identifierOf(nameAndIndex(given).name) : undefined;
  return sealed(new ResolvedPlace(target.admitted, target, name));
}

/** Handlers only pass it on. */
function sealed(place: ResolvedPlace): Json {
  return place as unknown as Json;
}

/** The file of a `path` or `uri` argument, inside the roots; `exists` says whether it must exist, null for either. */
async function admitted(
  { gate }: CallState,
  type: PlaceType,
  value: Json,
  exists: boolean | null,
): Promise<Admitted> {
  const name = String(value);
  if (type === "uri") strictPathOfUri(name);
  const found = await gate.admit(name);
  const isThere = statOrRefuse(found.path) !== undefined;
  if (exists === true && !isThere) throw new MissingFile(found);
  if (exists === false && isThere) throw new Refusal("guard/not-a-file", `${found.shown} exists already.`);
  if (exists === false && !found.writable)
    throw new Refusal("edit/read-only", `${found.shown} lies in a read-only folder.`);
  return found;
}

/** A place with its document open; `within` is the document that the call points at. */
async function openPlace(
  call: CallState,
  { type, form }: ArgPlan,
  value: Json,
  within: Target | undefined,
): Promise<Target> {
  const { dialect } = call.plan;
  const given = table(value);
  if (!isPlaceType(type)) throw new Fault(`an argument of type ${type} is no place`);
  const isInside = form?.kind === "place" && form.inDocument;
  if (isInside && within === undefined) throw new Refusal("point/incomplete", "This tool needs a file.");
  const open = async () =>
    isInside && within ? { ...within } : openNamed(call, given[dialect.document.field]);
  switch (type) {
    case "path":
    case "uri":
      await admitted(call, type, value, true);
      return openTarget(call, String(value));
    case "symbol": {
      const file = given[dialect.document.field];
      const kind = given[dialect.symbol.kind];
      const wanted = {
        name: String(given[dialect.symbol.name]),
        kind: typeof kind === "string" ? kind : undefined,
      };
      return findSymbol(call, wanted, file === undefined ? undefined : await openNamed(call, file));
    }
    case "position":
      return atPoint(call, await open(), given);
    case "item": {
      const target = await openNamed(call, given[documentKey(dialect)]);
      const isNested = dialect.position.answers === "object";
      return atPoint(call, target, isNested ? table(table(given.range).start) : given);
    }
    case "range": {
      const target = await open();
      const range = rangeBetween(
        call,
        target.document.lines,
        numbers(call, given.start),
        numbers(call, given.end),
      );
      return { ...target, range };
    }
  }
}

async function openNamed(call: CallState, name: Json | undefined): Promise<Target> {
  const file = String(name ?? "");
  if (call.plan.dialect.document.form === "uri") strictPathOfUri(file);
  return openTarget(call, file);
}

function atPoint(call: CallState, target: Target, given: JsonObject): Target {
  const { line, character } = numbers(call, given);
  const counted = { line: line ?? Number.NaN, character: character ?? Number.NaN };
  const { lines } = target.document;
  const place = placeOf(call, lines, counted.line, counted.character);
  warnPastLineEnd(call, lines, counted);
  return { ...target, counted, place };
}

function numbers({ plan: { dialect } }: CallState, value: Json | undefined) {
  const { line, character } = spanNames(dialect);
  const given = table(value);
  return { line: numberIn(given[line]), character: numberIn(given[character]) };
}

/** Names the argument in a refusal. */
async function naming<T>(argument: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, nextSteps, data } = error;
    throw new Refusal(code, `\`${argument}\`: ${message}`, { cause: error, nextSteps, data });
  }
}
