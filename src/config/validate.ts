/**
 * A tree against the schema → Problems. Every complaint of the schema becomes one problem with its place; of a
 * union only the branch that fits best is heard.
 */
import type { z } from "zod";
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { getAt, toPointer } from "../base/pointer.js";
import type { Problem } from "../base/problem.js";
import { homesOf, knownKeys } from "./schema-walk.js";
import { type Path, type Places, problemAt } from "./source.js";
import { boundWords, expectedWords, foundWords, label, oneOf, shown } from "./words.js";

type Issue = z.core.$ZodIssue;

/** A union of which no branch fits, as one complaint: the types and the literals that would. */
interface NoBranch {
  code: "no_branch";
  path: PropertyKey[];
  types: string[];
  values: unknown[];
}

type Complaint = Issue | NoBranch;

export interface ValidateOptions {
  /** Pointers about which enough was said already. */
  refused?: ReadonlySet<string>;
  /** A layer need not be complete: only the keys that name an entry must be there. */
  partial?: boolean;
}

/** Everything in the tree that the schema does not allow. */
export function validate(
  schema: z.ZodType,
  tree: JsonObject,
  places: Places,
  options: ValidateOptions = {},
): Problem[] {
  const result = schema.safeParse(tree);
  if (result.success) return [];
  const context: Context = { schema, tree, places };
  return flatten(result.error.issues, [])
    .filter((issue) => !options.refused?.has(toPointer(issue.path as Path)))
    .filter((issue) => !(options.partial && isMissing(issue, tree) && !isIdentity(issue.path as Path)))
    .flatMap((issue) => toProblems(issue, context));
}

interface Context {
  schema: z.ZodType;
  tree: JsonObject;
  places: Places;
}

/** Complaints with whole paths, unions resolved. */
function flatten(issues: readonly Issue[], prefix: Path): Complaint[] {
  return issues.flatMap((issue): Complaint[] => {
    const path = [...prefix, ...(issue.path as Path)];
    if (issue.code !== "invalid_union") return [{ ...issue, path }];
    const branch = bestBranch(issue.errors);
    return branch ? flatten(branch, path) : [noBranch(issue.errors, path)];
  });
}

/** The branch whose type fits and that complains least; none when no branch's type fits. */
function bestBranch(branches: readonly Issue[][]): Issue[] | undefined {
  let best: Issue[] | undefined;
  for (const branch of branches) {
    const typeFits = branch.every((issue) => issue.path.length > 0 || !isAboutType(issue));
    if (typeFits && (!best || branch.length < best.length)) best = branch;
  }
  return best;
}

function noBranch(branches: readonly Issue[][], path: (string | number)[]): NoBranch {
  const heads = branches.flat().filter((issue) => issue.path.length === 0);
  return {
    code: "no_branch",
    path,
    types: heads.flatMap((issue) => (issue.code === "invalid_type" ? [issue.expected] : [])),
    values: heads.flatMap((issue) => (issue.code === "invalid_value" ? issue.values : [])),
  };
}

function isAboutType(issue: Complaint): boolean {
  return ["invalid_type", "invalid_value", "invalid_union", "no_branch"].includes(issue.code);
}

function isMissing(issue: Complaint, tree: JsonObject): boolean {
  return isAboutType(issue) && issue.path.length > 0 && getAt(tree, issue.path as Path) === undefined;
}

/** `servers/N/id`, `tools/N/name`, `methods/N/method`: without them a layer cannot be merged. */
function isIdentity(path: Path): boolean {
  return path.length === 3 && identities.has(`${path[0]}/${path[2]}`);
}

const identities: ReadonlySet<string> = new Set(["servers/id", "tools/name", "methods/method"]);

function toProblems(issue: Complaint, context: Context): Problem[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key], context));
  if (isMissing(issue, context.tree)) return [missingKey(path, context)];
  const found = getAt(context.tree, path);
  switch (issue.code) {
    case "invalid_type":
      return [wrongType(path, expectedWords(issue.expected), found, context)];
    case "no_branch":
      if (issue.types.length === 0) return [badChoice(path, issue.values, found, context)];
      return [wrongType(path, branchWords(issue), found, context)];
    case "invalid_value":
      return [badChoice(path, issue.values, found, context)];
    case "invalid_key":
      return [
        problemAt(
          context.places,
          "config/bad-value",
          `the key \`${path.at(-1)}\` must be ${issue.issues[0]?.message}`,
          path,
          { part: "key" },
        ),
      ];
    case "too_small":
    case "too_big":
      return [badValue(path, boundWords(issue), found, context)];
    default:
      return [badValue(path, `must be ${issue.message}`, found, context)];
  }
}

function branchWords({ types, values }: NoBranch): string {
  return oneOf([...values.map((value) => JSON.stringify(value)), ...types.map(expectedWords)]);
}

function unknownKey(path: Path, { schema, places }: Context): Problem {
  const key = String(path.at(-1));
  const known = knownKeys(schema, path.slice(0, -1));
  const suggestion = nearest(key, known);
  const homes = suggestion === undefined ? homesOf(schema, key) : [];
  return problemAt(places, "config/unknown-key", `unknown key \`${key}\`${inTable(path)}`, path, {
    part: "key",
    suggestion,
    fix: unknownKeyFix(key, suggestion, homes, known),
  });
}

function inTable(path: Path): string {
  return path.length > 1 ? ` in \`${label(path.slice(0, -1))}\`` : "";
}

function unknownKeyFix(
  key: string,
  suggestion: string | undefined,
  homes: string[],
  known: string[],
): string {
  if (suggestion !== undefined) return `Write \`${suggestion}\`, or remove the key.`;
  if (homes.length > 0) return `\`${key}\` belongs to \`${homes.join("` or `")}\`: move it there.`;
  if (known.length > 0 && known.length <= 8)
    return `Use one of \`${known.join("`, `")}\`, or remove the key.`;
  return "Remove the key. `lsp-proxy schema` prints what exists.";
}

function missingKey(path: Path, { places }: Context): Problem {
  const table = path.slice(0, -1);
  const where = table.length > 0 ? ` in \`${label(table)}\`` : "";
  return problemAt(places, "config/missing-key", `\`${path.at(-1)}\` is missing${where}`, table, {
    fix: `Add \`${path.at(-1)}\`.`,
  });
}

function wrongType(path: Path, expected: string, found: unknown, { places }: Context): Problem {
  const message = `\`${label(path)}\` must be ${expected}, found ${foundWords(found)}`;
  return problemAt(places, "config/wrong-type", message, path, { fix: `Write ${expected}.` });
}

function badChoice(path: Path, values: readonly unknown[], found: unknown, { places }: Context): Problem {
  const choices = oneOf(values.map((value) => JSON.stringify(value)));
  const names = values.filter((value) => typeof value === "string");
  const isSameType = values.some((value) => typeof value === typeof found);
  const message = `\`${label(path)}\` must be ${choices}, found ${isSameType ? shown(found) : foundWords(found)}`;
  return problemAt(places, isSameType ? "config/bad-value" : "config/wrong-type", message, path, {
    suggestion: typeof found === "string" ? nearest(found, names) : undefined,
    fix: `Write ${choices}.`,
  });
}

function badValue(path: Path, words: string, found: unknown, { places }: Context): Problem {
  return problemAt(places, "config/bad-value", `\`${label(path)}\` ${words}, found ${shown(found)}`, path);
}
