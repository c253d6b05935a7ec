/** A tree against the schema → Problems, each with its place, what was expected, what was found, and a fix. */
import type * as z from "zod";
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { getAt, toPointer } from "../base/pointer.js";
import type { Problem } from "../base/problem.js";
import { type Complaint, hear, isMissing, type NoBranch } from "./complaints.js";
import { homesOf, knownKeys } from "./schema-walk.js";
import { type Path, type Places, problemAt } from "./text/source.js";
import { boundWords, expectedWords, foundWords, label, oneOf, shown } from "./text/words.js";

export interface ValidateOptions {
  /** Pointers about which enough was said already. */
  refused?: ReadonlySet<string>;
  /** A layer need not be complete: only the keys that name an entry must be there. */
  partial?: boolean;
}

interface Context {
  schema: z.ZodType;
  tree: JsonObject;
  places: Places;
}

/** Everything in the tree that the schema does not allow. */
export function validate(
  schema: z.ZodType,
  tree: JsonObject,
  places: Places,
  options: ValidateOptions = {},
): Problem[] {
  return problemsOf(hear(schema, tree).complaints, { schema, tree, places }, options);
}

/** What the schema makes of a whole tree; nothing where there are problems. */
export function parseTree<T>(
  schema: z.ZodType<T>,
  tree: JsonObject,
  places: Places,
): { value: T; problems: [] } | { value?: undefined; problems: Problem[] } {
  const { value, complaints } = hear(schema, tree);
  if (value !== undefined) return { value, problems: [] };
  return { problems: problemsOf(complaints, { schema, tree, places }, {}) };
}

function problemsOf(complaints: readonly Complaint[], context: Context, options: ValidateOptions): Problem[] {
  const { schema, tree } = context;
  const misspelt = misspeltKeys(schema, complaints);
  return complaints
    .filter((complaint) => {
      const pointer = toPointer(complaint.path);
      if (options.refused?.has(pointer)) return false;
      if (!isMissing(complaint, tree)) return true;
      return !misspelt.has(pointer) && (!options.partial || isIdentity(complaint.path));
    })
    .flatMap((complaint) => toProblems(complaint, context));
}

/** Pointers of keys that are there under a misspelt name: they are not missing too. */
function misspeltKeys(schema: z.ZodType, complaints: readonly Complaint[]): Set<string> {
  return new Set(
    complaints.flatMap((complaint) => {
      if (complaint.code !== "unrecognized_keys") return [];
      const known = knownKeys(schema, complaint.path);
      return complaint.keys.map((key) => toPointer([...complaint.path, nearest(key, known) ?? key]));
    }),
  );
}

/** `servers/N/id`, `tools/N/name`, `methods/N/method`: without them a layer cannot be merged. */
function isIdentity(path: Path): boolean {
  return path.length === 3 && identities.has(`${path[0]}/${path[2]}`);
}

const identities: ReadonlySet<string> = new Set(["servers/id", "tools/name", "methods/method"]);

function toProblems(complaint: Complaint, context: Context): Problem[] {
  const { path } = complaint;
  if (complaint.code === "unrecognized_keys")
    return complaint.keys.map((key) => unknownKey([...path, key], context));
  if (isMissing(complaint, context.tree)) return [missingKey(path, context)];
  switch (complaint.code) {
    case "invalid_type":
      return [wrongType(path, expectedWords(complaint.expected), context)];
    case "no_branch":
      if (complaint.types.length === 0) return [badChoice(path, complaint.values, context)];
      return [wrongType(path, branchWords(complaint), context)];
    case "invalid_value":
      return [badChoice(path, complaint.values, context)];
    case "invalid_key":
      return [badKey(path, complaint.issues[0]?.message ?? "another one", context)];
    case "too_small":
    case "too_big":
      return [badValue(path, boundWords(complaint), context)];
    default:
      return [
        badValue(path, { must: `must be ${complaint.message}`, fix: `Write ${complaint.message}.` }, context),
      ];
  }
}

function unknownKey(path: Path, { schema, places }: Context): Problem {
  const key = String(path.at(-1));
  const known = knownKeys(schema, path.slice(0, -1));
  const suggestion = nearest(key, known);
  return problemAt(places, "config/unknown-key", `unknown key \`${key}\`${inTable(path, places)}`, path, {
    part: "key",
    suggestion,
    fix: unknownKeyFix(key, suggestion, known, schema),
  });
}

function unknownKeyFix(
  key: string,
  suggestion: string | undefined,
  known: string[],
  schema: z.ZodType,
): string {
  if (suggestion !== undefined) return `Write \`${suggestion}\`, or remove the key.`;
  const homes = homesOf(schema, key);
  if (homes.length > 0) return `\`${key}\` belongs to \`${homes.join("` or `")}\`: move it there.`;
  if (known.length > 0 && known.length <= 8)
    return `Use one of \`${known.join("`, `")}\`, or remove the key.`;
  return "Remove the key. `lsp-proxy schema` prints what exists.";
}

function missingKey(path: Path, { places }: Context): Problem {
  const message = `\`${path.at(-1)}\` is missing${inTable(path, places)}`;
  return problemAt(places, "config/missing-key", message, path.slice(0, -1), {
    fix: `Add \`${path.at(-1)}\`.`,
  });
}

function inTable(path: Path, places: Places): string {
  return path.length > 1 ? ` in \`${label(places.pointer(path.slice(0, -1)))}\`` : "";
}

function wrongType(path: Path, expected: string, { tree, places }: Context): Problem {
  const message = `\`${label(places.pointer(path))}\` must be ${expected}, found ${foundWords(getAt(tree, path))}`;
  return problemAt(places, "config/wrong-type", message, path, { fix: `Write ${expected}.` });
}

function branchWords({ types, values }: NoBranch): string {
  return oneOf([...values.map((value) => JSON.stringify(value)), ...types.map(expectedWords)]);
}

function badChoice(path: Path, values: readonly unknown[], { tree, places }: Context): Problem {
  const found = getAt(tree, path);
  const choices = oneOf(values.map((value) => JSON.stringify(value)));
  const isSameType = values.some((value) => typeof value === typeof found);
  const words = isSameType ? shown(found) : foundWords(found);
  const message = `\`${label(places.pointer(path))}\` must be ${choices}, found ${words}`;
  const names = values.filter((value) => typeof value === "string");
  return problemAt(places, isSameType ? "config/bad-value" : "config/wrong-type", message, path, {
    suggestion: typeof found === "string" ? nearest(found, names) : undefined,
    fix: `Write ${choices}.`,
  });
}

function badKey(path: Path, must: string, { places }: Context): Problem {
  const message = `the key \`${path.at(-1)}\` must be ${must}`;
  return problemAt(places, "config/bad-value", message, path, { part: "key", fix: "Rename the key." });
}

function badValue(path: Path, words: { must: string; fix: string }, { tree, places }: Context): Problem {
  const message = `\`${label(places.pointer(path))}\` ${words.must}, found ${shown(getAt(tree, path))}`;
  return problemAt(places, "config/bad-value", message, path, { fix: words.fix });
}
