/**
 * Several calls in one: in order or side by side, each with its own outcome; a failure fails only its own operation.
 * Side by side are those that depend on none of their neighbours: what changes something runs alone, after all that
 * stands before it and before all that follows.
 */
import type { BatchOptions } from "../../abi/handler.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";

/** What a tool within a tool gave: its answer, or its refusal as an answer. */
export interface Ran {
  structured: JsonObject;
  headline: string;
  refusal: Refusal | undefined;
  /** Where it asks back which symbol is meant. */
  candidates: JsonObject[] | undefined;
  /** Whether something is left out of its answer. */
  isCut: boolean;
}

/** How a tool reaches another tool. */
export type RunTool = (name: string, args: Json) => Promise<Ran>;

/** What a batch must know of its tools and of its time. */
export interface BatchBounds {
  onlyReads(tool: string): boolean;
  /** Whether another operation may begin: the rest are skipped, so that what is done is told in time. */
  hasTime(): boolean;
  /** Hears of each operation as it ends. */
  ended(index: number, ran: Ran): void;
}

/** Operations that are under way at once. */
const atOnce = 8;

interface Operation {
  tool: string;
  args: Json;
  id: string | undefined;
}

/** The outcome of every operation, in the order in which they were given. */
export async function runBatch(
  tools: readonly string[],
  operations: Json,
  { parallel, stopOnError }: BatchOptions,
  run: RunTool,
  { onlyReads, hasTime, ended }: BatchBounds,
): Promise<JsonObject[]> {
  const asked = (Array.isArray(operations) ? operations : []).map(readOperation);
  const foreign = asked.find(({ tool }) => !tools.includes(tool));
  if (foreign !== undefined)
    throw new Refusal("guard/invalid-arguments", "An operation names a tool that a batch cannot call.");
  const all: (Ran | undefined)[] = asked.map(() => undefined);
  let isStopped = false;
  const work = async (queue: [number, Operation][]) => {
    for (let next = queue.shift(); next !== undefined && !isStopped; next = queue.shift()) {
      const [index, operation] = next;
      const ran = await run(operation.tool, operation.args);
      const isBegun = ran.refusal?.code !== "call/not-begun";
      if (isBegun) all[index] = ran;
      if (isBegun) ended(index, ran);
      if ((ran.refusal !== undefined && stopOnError !== false) || !isBegun || !hasTime()) isStopped = true;
    }
  };
  for (const group of groupsOf(asked, onlyReads)) {
    const workers = parallel === true ? atOnce : 1;
    await Promise.all(Array.from({ length: workers }, () => work(group)));
  }
  const why = whySkipped(all, stopOnError);
  return asked.map((operation, index) => outcomeOf(operation, index, all[index], why));
}

/** Why the rest was not begun: the first failure where failures end a batch, or else the end of its time. */
function whySkipped(all: readonly (Ran | undefined)[], stopOnError: BatchOptions["stopOnError"]): string {
  const failed = all.findIndex((ran) => ran?.refusal !== undefined);
  if (stopOnError === false || failed < 0)
    return "Skipped: the time of the whole call was up before it began.";
  const how = all[failed]?.refusal?.code === "lsp/timeout" ? "did not end in time" : "failed";
  return `Skipped: operation ${failed} ${how}, and \`stop_on_error\` is not false.`;
}

/** Neighbours that only read stand together; any other operation stands alone. */
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
  ran: Ran | undefined,
  whySkipped: string,
): JsonObject {
  const operation = { index, tool, ...(id === undefined ? {} : { id }) };
  if (ran === undefined) return { ...operation, outcome: "skipped", summary: whySkipped };
  const { structured, headline, refusal, candidates } = ran;
  return {
    ...{ ...operation, outcome: refusal === undefined ? "done" : "failed" },
    ...(refusal === undefined ? {} : { code: refusal.code }),
    summary: headline,
    ...(candidates === undefined ? {} : { needs_disambiguation: true }),
    answer: structured,
  };
}

/** An operation as its schema has made sure that it is. */
function readOperation(value: Json): Operation {
  const members = isTable(value) ? (value as JsonObject) : {};
  return {
    tool: typeof members.tool === "string" ? members.tool : "",
    args: members.args ?? {},
    id: typeof members.id === "string" ? members.id : undefined,
  };
}
