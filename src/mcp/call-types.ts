/** Types of the options of a session's calls. */
import type { Refusal } from "../base/problem.js";
import type { CallWatch } from "../runtime/call-observer.js";
import type { Runtime } from "../runtime/runtime.js";
import type { SwitchProject, TrustOffer } from "./trust-question.js";

/** How many calls of a session may run at once. */
export interface CallLimit {
  most: number;
  /** The setting that says so, and how many calls of other sessions count for it too. */
  setting: string;
  others: number;
}

/** The workspaces of a gateway that serves several, for a session that is not bound to one of them. */
export interface WorkspaceChoice {
  /** The workspace in which the client works; undefined where its roots name none or several. */
  choose(roots: readonly string[]): Runtime | undefined;
  /** Why calls are refused until then. */
  refusal(): Refusal;
  /** How a session is opened in the chosen one. */
  session: { holder: string };
}

/** How the calls of a session differ by transport and process. */
export interface CallsOptions {
  trust?: TrustOffer | undefined;
  /** If the proxy was not started in a project: switches to the client's project. */
  switchProject?: SwitchProject | undefined;
  /** The limit of calls that run at once, as it is now; `own` is that of the plan. Over HTTP the gateway limits them. */
  limit?: "own" | (() => CallLimit) | undefined;
  workspaces?: WorkspaceChoice | undefined;
  /** Follows the calls, instead of the runtime's own watch. */
  watch?: CallWatch | undefined;
}

export interface ProgressParams {
  [member: string]: unknown;
  progressToken: string | number;
  progress: number;
  message: string;
}
