/** States and outcomes as short coloured words. The colour never has a meaning that the word does not have. */
import type { JSX } from "preact";
import type { CallRow, Readiness, ServerRow } from "../../api.js";

type Tone = "ok" | "warn" | "bad" | "busy" | "plain";

export function Badge({ tone, text }: { tone: Tone; text: string }): JSX.Element {
  return <span class={`badge ${tone}`}>{text}</span>;
}

const readinessWords: { [readiness in Readiness]: [Tone, string] } = {
  ready: ["ok", "Ready"],
  indexing: ["busy", "Indexing"],
  starting: ["busy", "Starting"],
  unknown: ["ok", "Running"],
};

const stateWords: { [state in Exclude<ServerRow["state"], "running">]: [Tone, string] } = {
  idle: ["plain", "Not started"],
  starting: ["busy", "Starting"],
  backoff: ["warn", "Waits to restart"],
  broken: ["bad", "Broken"],
  stopped: ["plain", "Stopped"],
  unavailable: ["bad", "Not installed"],
  disabled: ["plain", "Disabled"],
};

/** The state of a server, and how ready it is while it runs. */
export function stateOf({ state, readiness }: ServerRow): [Tone, string] {
  return state === "running" ? readinessWords[readiness] : stateWords[state];
}

const outcomeWords: { [outcome in CallRow["outcome"]]: [Tone, string] } = {
  running: ["busy", "Running"],
  ok: ["ok", "Answered"],
  error: ["bad", "Refused"],
  cancelled: ["plain", "Cancelled"],
};

export function outcomeOf(outcome: CallRow["outcome"]): [Tone, string] {
  return outcomeWords[outcome];
}
