/** The services that all calls of one bundle share: plan, pool, gate, edits. */
import type { ToolPlan } from "../abi/plan.js";
import type { Refusal } from "../base/problem.js";
import type { LoadedBundle } from "./bundle/load.js";
import type { CallState } from "./call-state.js";

export type BundleServices = Pick<
  CallState,
  "plan" | "pool" | "gate" | "samples" | "edits" | "log" | "suggestServers" | "notShared" | "finder"
> & {
  configProblem: string | undefined;
  loaded: LoadedBundle;
  /** The calls that run now. */
  running: Set<Promise<unknown>>;
  /** Every call is refused with this. */
  refusal: Refusal | undefined;
  /** Whether an answer that violates its output schema is a fault; otherwise it is logged. */
  strictAnswers: boolean;
  /** The tools that agents may call, by name; and those of the program that started the proxy. */
  listed: ReadonlyMap<string, ToolPlan>;
  ofHost: ReadonlyMap<string, ToolPlan>;
};
