/** The states of a server. The page of the dashboard has these types too, so this file imports nothing. */

/** How much a server has indexed, from its own evidence. */
export type Readiness = "ready" | "indexing" | "starting" | "unknown";

/** Whether a server runs, and if not, why. */
export type ServerState =
  | "idle"
  | "starting"
  | "running"
  | "backoff"
  | "broken"
  | "stopped"
  | "unavailable"
  | "disabled";
