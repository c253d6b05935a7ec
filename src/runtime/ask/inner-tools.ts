/**
 * Tools within a tool: runs a batch, and combines the results of steps. Only reads run in parallel; an operation that
 * changes something runs alone, in its place.
 */
import type { BatchOptions } from "../../abi/handler.js";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { forEachInParallel } from "../../base/timing.js";
import type { Evidence } from "../answer/evidence.js";

/** The result of a tool that another tool called: its answer, or its refusal as an answer. */
export interface InnerAnswer {
  structured: JsonObject;
  headline: string;
  refusal: Refusal | undefined;
  /** The candidates, where the tool asks which symbol is meant. */
  candidates: JsonObject[] | undefined;
  /** Whether something is left out of its answer. */
  isCut: boolean;
}

export type RunTool = (name: string, args: Json) => Promise<InnerAnswer>;

/** The tools, the time and the edits of a batch. */
export interface BatchBounds {
  onlyReads(tool: string): boolean;
  /** Whether there is time for another operation; the rest are skipped, so that the answer is in time. */
  hasTime(): boolean;
  /** The arguments with which an edit is only previewed; those of other tools unchanged. */
  preview(tool: string, args: Json): Json;
  /** The undo tokens of all edits so far. */
  edits(): readonly string[];
  /** Whether a tool undoes edits. */
  undoes(tool: string): boolean;
  /** Undoes all edits, the last first; says why one cannot be undone. */
  undo(): Promise<string | undefined>;
}

const atOnce = 8;

interface Operation {
  tool: string;
  args: Json;
  id: string | undefined;
}

/** The outcome of every operation, in the given order, and the indexes of those whose answers are cut. */
export async function runBatch(
  tools: readonly string[],
  operations: Json,
  options: BatchOptions,
  run: RunTool,
  bounds: BatchBounds,
): Promise<{ outcomes: JsonObject[]; cut: number[] }> {
  const asked = (Array.isArray(operations) ? operations : []).map(readOperation);
  const foreign = asked.find(({ tool }) => !tools.includes(tool));
  if (foreign !== undefined)
    throw new Refusal("guard/invalid-arguments", "An operation names a tool that a batch cannot call.");
  const isAtomic = options.atomic === true;
  if (isAtomic && asked.some(({ tool }) => bounds.undoes(tool)))
    throw new Refusal("guard/invalid-arguments", "An atomic batch cannot undo: an undo is not undone.");
  const stops = options.stopOnError !== false || isAtomic;
  const all: (InnerAnswer | undefined)[] = asked.map(() => undefined);
  const isFailed = (ran: InnerAnswer | undefined) =>
    ran?.refusal !== undefined || (isAtomic && ran?.candidates !== undefined);
  /** The indexes of the operations that edited files. */
  const editing = new Set<number>();
  let isStopped = false;
  const work = async ([index, { tool, args }]: [number, Operation]) => {
    if (isStopped) return;
    const before = bounds.edits().length;
    const ran = await run(tool, options.dryRun === true ? bounds.preview(tool, args) : args);
    if (bounds.edits().length > before) editing.add(index);
    const isBegun = ran.refusal?.code !== "call/not-begun";
    if (isBegun) all[index] = ran;
    if ((isFailed(ran) && stops) || !isBegun || !bounds.hasTime()) isStopped = true;
  };
  try {
    for (const group of groupsOf(asked, bounds.onlyReads))
      await forEachInParallel(group, options.parallel === true ? atOnce : 1, work);
  } catch (error) {
    // The call was cancelled, or its time is up.
    if (isAtomic) await bounds.undo();
    throw error;
  }
  const failed = all.findIndex(isFailed);
  const outcomes = asked.map((operation, index) =>
    outcomeOf(operation, index, all[index], whySkipped(all[failed], failed, stops)),
  );
  const missing = all.findIndex((ran) => ran === undefined || isFailed(ran));
  if (isAtomic && missing >= 0) {
    const summary =
      (await bounds.undo()) ?? `Undone: operation ${missing} was not done, and the batch is atomic.`;
    for (const index of editing) outcomes[index] = undoneOutcome(outcomes[index] ?? {}, summary);
  }
  return { outcomes, cut: [...all.keys()].filter((index) => all[index]?.isCut) };
}

/** The outcome of an operation whose edit was undone, or should have been. */
function undoneOutcome({ answer: _, ...operation }: JsonObject, summary: string): JsonObject {
  return { ...operation, outcome: "failed", summary };
}

/** Why the rest was skipped: the first failure, where a failure stops the batch, or the deadline. */
function whySkipped(ran: InnerAnswer | undefined, failed: number, stops: boolean): string {
  if (!stops || ran === undefined) return "Skipped: the time of the whole call was up before it began.";
  const how = ran.refusal?.code === "lsp/timeout" ? "did not end in time" : "failed";
  return `Skipped: operation ${failed} ${how}, and \`stop_on_error\` is not false.`;
}

/** Groups neighbouring reads; any other operation is a group of its own. */
function groupsOf(
  operations: readonly Operation[],
  onlyReads: (tool: string) => boolean,
): [number, Operation][][] {
  const groups: [number, Operation][][] = [];
  let isOpen = false;
  for (const entry of operations.entries()) {
    const reads = onlyReads(entry[1].tool);
    if (isOpen && reads) groups.at(-1)?.push(entry);
    else groups.push([entry]);
    isOpen = reads;
  }
  return groups;
}

function outcomeOf(
  { tool, id }: Operation,
  index: number,
  ran: InnerAnswer | undefined,
  whySkipped: string,
): JsonObject {
  const operation = { index, tool, ...(id === undefined ? {} : { id }) };
  if (ran === undefined) return { ...operation, outcome: "skipped", summary: whySkipped };
  const { structured, headline, refusal, candidates } = ran;
  return {
    ...operation,
    outcome: refusal === undefined ? "done" : "failed",
    ...(refusal === undefined ? {} : { code: refusal.code }),
    summary: headline,
    ...(candidates === undefined ? {} : { needs_disambiguation: true }),
    answer: structured,
  };
}

/** Reads an operation; its schema was checked before. */
function readOperation(value: Json): Operation {
  const members = isTable(value) ? (value as JsonObject) : {};
  return {
    tool: typeof members.tool === "string" ? members.tool : "",
    args: members.args ?? {},
    id: typeof members.id === "string" ? members.id : undefined,
  };
}

/** A tool that was called as a step. */
export interface InnerCall {
  name: string;
  ran: InnerAnswer;
}

/** Warns of steps that failed, were cut or ask back. Throws when every step that the answer is made of failed. */
export function warnOfSteps(
  evidence: Evidence,
  steps: readonly InnerCall[],
  decisive: readonly InnerCall[],
): void {
  if (decisive.length > 0 && decisive.every(({ ran }) => ran.refusal !== undefined))
    throw allFailed(decisive);
  for (const { name, ran } of steps) {
    const { refusal } = ran;
    if (refusal !== undefined)
      evidence.warn("answer/step-failed", `The step ${name} ${failureText(refusal)}: ${refusal.message}`, {
        step: name,
        code: refusal.code,
      });
    if (ran.isCut) evidence.truncated(`The answer of the step ${name} is cut.`, { step: name });
    if (ran.candidates !== undefined)
      evidence.warn("answer/several-matches", `The step ${name} must know which symbol is meant.`, {
        step: name,
      });
  }
  const candidates = steps.flatMap(({ ran }) => ran.candidates ?? []);
  if (candidates.length > 0) evidence.candidates = uniqueBy(candidates, canonicalText);
}

function failureText({ code }: Refusal): string {
  return code === "call/not-begun" ? "was skipped" : "failed";
}

/** Names the operations of a batch whose answers are cut. */
export function warnOfCuts(evidence: Evidence, operations: number[]): void {
  if (operations.length === 0) return;
  evidence.truncated(`Answers are cut within: operations ${operations.join(", ")}.`, { operations });
}

/** A reason that all steps share is the reason of the whole; several are listed together. */
function allFailed(steps: readonly InnerCall[]): Refusal {
  const refusals = steps.flatMap(({ name, ran }) =>
    ran.refusal === undefined ? [] : [{ name, refusal: ran.refusal }],
  );
  const [first] = refusals;
  const isOne = refusals.every(({ refusal }) => refusal.code === first?.refusal.code);
  if (first !== undefined && isOne) return first.refusal;
  const lines = refusals.map(({ name, refusal }) => `${name}: ${refusal.message}`);
  return new Refusal("call/steps-failed", `Every step failed. ${lines.join(" ")}`, {
    nextSteps: refusals.flatMap(({ refusal }) => refusal.nextSteps),
    data: { steps: refusals.map(({ name, refusal }) => ({ step: name, code: refusal.code })) },
  });
}
