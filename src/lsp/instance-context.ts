/** What one running server gets from the pool. */
import type { Effect, LimitsPlan, ServerPlan } from "../abi/plan.js";
import type { LaunchSettings } from "./process/launch-settings.js";
import type { Log, Trace } from "./types.js";
import type { WorkspaceWatch } from "./watch/workspace-watch.js";

export interface InstanceContext {
  plan: ServerPlan;
  /** Absolute root of this instance. */
  root: string;
  launchSettings: LaunchSettings;
  /** Absolute further workspace folders: of the plan, and other roots that this instance serves. */
  folders: string[];
  roots: readonly string[];
  limits: LimitsPlan;
  /** Allowed effects: they limit the client capabilities. */
  effects: readonly Effect[];
  generation: number;
  version: string;
  watch: WorkspaceWatch;
  log: Log;
  trace: Trace | undefined;
  /** Runs a command in another server, for the plan's `forward` rules. */
  command: (serverId: string, command: string, args: unknown[]) => Promise<unknown>;
}
