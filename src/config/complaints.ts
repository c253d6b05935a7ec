/** The schema's complaints about a tree, with whole paths; of a union only the branch that fits best is heard. */
import type * as z from "zod";
import type { JsonObject } from "../base/json.js";
import { getAt, toPointer } from "../base/pointer.js";
import type { Path } from "./text/source.js";

type Issue = z.core.$ZodIssue;

/** A union of which no branch fits, as one complaint: the types and the literals that would. */
export interface NoBranch {
  code: "no_branch";
  path: PropertyKey[];
  types: string[];
  values: unknown[];
}

export type Complaint = (Exclude<Issue, z.core.$ZodIssueInvalidUnion> | NoBranch) & {
  path: (string | number)[];
};

/** What the schema makes of the tree, or everything that it has against it. */
export type Heard<T> = { value: T; complaints: [] } | { value?: undefined; complaints: Complaint[] };

/** Hears the schema about a tree. */
export function hear<T>(schema: z.ZodType<T>, tree: JsonObject): Heard<T> {
  // A config is read once: code made for each table would cost more than it saves.
  const result = schema.safeParse(tree, { jitless: true });
  return result.success
    ? { value: result.data, complaints: [] }
    : { complaints: strictest(flatten(result.error.issues, [])) };
}

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

function noBranch(branches: readonly Issue[][], path: (string | number)[]): NoBranch & Complaint {
  const heads = branches.flat().filter((issue) => issue.path.length === 0);
  return {
    code: "no_branch",
    path,
    types: heads.flatMap((issue) => (issue.code === "invalid_type" ? [issue.expected] : [])),
    values: heads.flatMap((issue) => (issue.code === "invalid_value" ? issue.values : [])),
  };
}

function isAboutType({ code }: { code: string }): boolean {
  return ["invalid_type", "invalid_value", "invalid_union", "no_branch"].includes(code);
}

/** Of two lower bounds on one value the higher one says it all. */
function strictest(complaints: readonly Complaint[]): Complaint[] {
  const least = new Map<string, number | bigint>();
  for (const complaint of complaints) {
    if (complaint.code !== "too_small") continue;
    const pointer = toPointer(complaint.path);
    const known = least.get(pointer);
    if (known === undefined || complaint.minimum > known) least.set(pointer, complaint.minimum);
  }
  return complaints.filter(
    (complaint) =>
      complaint.code !== "too_small" || complaint.minimum === least.get(toPointer(complaint.path)),
  );
}

/** Whether a complaint is that nothing stands where something must. */
export function isMissing(complaint: Complaint, tree: JsonObject): boolean {
  return isAboutType(complaint) && complaint.path.length > 0 && getAt(tree, complaint.path) === undefined;
}
