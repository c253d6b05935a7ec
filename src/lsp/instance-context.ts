/** What one running server needs from its surroundings. */
import type { Effect, LimitsPlan, ServerPlan } from "../abi/plan.js";
import type { Told } from "./process/told.js";
import type { Log, Trace } from "./types.js";
import type { WorkspaceWatch } from "./watch/workspace-watch.js";

export interface InstanceContext {
  plan: ServerPlan;
  /** Absolute root of this instance. */
  root: string;
  /** Its options and settings, as it is told them. */
  told: Told;
  /** Absolute further workspace folders, of the plan and of other roots that this instance serves as well. */
  folders: string[];
  roots: readonly string[];
  limits: LimitsPlan;
  /** What this proxy may do: a server is offered no more. */
  effects: readonly Effect[];
  generation: number;
  version: string;
  watch: WorkspaceWatch;
  log: Log;
  trace: Trace | undefined;
  /** Runs a command in another server, for the plan's `forward` rules. */
  command: (serverId: string, command: string, args: unknown[]) => Promise<unknown>;
}
