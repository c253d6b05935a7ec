/**
 * Runs the schema over a tree and flattens zod's issues: of a union only the issues of the best matching branch remain.
 */
import type * as z from "zod";
import { getAt, type JsonObject, toPointer } from "../base/json.js";
import { sortBy } from "../base/order.js";
import type { Path } from "./text/source.js";

type ZodIssue = z.core.$ZodIssue;

/** No branch of a union matches; lists the types and literals that would. */
interface NoBranchIssue {
  code: "no_branch";
  path: PropertyKey[];
  types: string[];
  values: unknown[];
}

export type SchemaIssue = (Exclude<ZodIssue, z.core.$ZodIssueInvalidUnion> | NoBranchIssue) & {
  path: (string | number)[];
};

export function checkSchema<T>(
  schema: z.ZodType<T>,
  tree: JsonObject,
): { value: T | undefined; issues: SchemaIssue[] } {
  // A config is parsed once, so generating code for each table would cost more than it saves.
  const result = schema.safeParse(tree, { jitless: true });
  return { value: result.data, issues: highestMinimums(flatten(result.error?.issues ?? [], [])) };
}

function flatten(issues: readonly ZodIssue[], prefix: Path): SchemaIssue[] {
  return issues.flatMap((issue): SchemaIssue[] => {
    const path = [...prefix, ...(issue.path as Path)];
    if (issue.code !== "invalid_union") return [{ ...issue, path }];
    const branch = bestBranch(issue.errors);
    return branch ? flatten(branch, path) : [noBranch(issue.errors, path)];
  });
}

/** The branch whose type matches and that has the fewest issues. */
function bestBranch(branches: readonly ZodIssue[][]): ZodIssue[] | undefined {
  const matching = branches.filter((branch) =>
    branch.every((issue) => issue.path.length > 0 || !isAboutType(issue)),
  );
  return sortBy(matching, ({ length }) => [length])[0];
}

function noBranch(branches: readonly ZodIssue[][], path: (string | number)[]): SchemaIssue {
  const issues = branches.flat().filter((issue) => issue.path.length === 0);
  return {
    code: "no_branch",
    path,
    types: issues.flatMap((issue) => (issue.code === "invalid_type" ? [issue.expected] : [])),
    values: issues.flatMap((issue) => (issue.code === "invalid_value" ? issue.values : [])),
  };
}

function isAboutType({ code }: { code: string }): boolean {
  return ["invalid_type", "invalid_value", "invalid_union", "no_branch"].includes(code);
}

/** Of several minimums for one value only the highest is reported. */
function highestMinimums(issues: readonly SchemaIssue[]): SchemaIssue[] {
  const highest = new Map<string, number | bigint>();
  for (const issue of issues) {
    if (issue.code !== "too_small") continue;
    const pointer = toPointer(issue.path);
    const known = highest.get(pointer);
    if (known === undefined || issue.minimum > known) highest.set(pointer, issue.minimum);
  }
  return issues.filter(
    (issue) => issue.code !== "too_small" || issue.minimum === highest.get(toPointer(issue.path)),
  );
}

/** Whether an issue is that a required value is missing. */
export function isMissing(issue: SchemaIssue, tree: JsonObject): boolean {
  return isAboutType(issue) && issue.path.length > 0 && getAt(tree, issue.path) === undefined;
}
