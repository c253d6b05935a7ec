/**
 * The three kinds of failure. A Problem is the config author's and is collected; a Refusal is reported to the
 * agent; a Fault is our bug. Every code is in the catalogue (`codes.ts`).
 */
import type { Code } from "./codes.js";
import type { Json } from "./json.js";

/** The place of a value: one-based line and column, in characters. */
export interface ProblemPlace {
  file: string;
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
}

/** Something wrong in a config, with what is needed to fix it. */
export interface Problem {
  code: Code;
  severity: "error" | "warning";
  message: string;
  /** JSON Pointer of the value in its own file. */
  pointer: string;
  place?: ProblemPlace;
  /** The nearest known name, when there is one. */
  suggestion?: string;
  /** The fix. */
  fix: string;
  /** Lines to look at, such as a short diff. */
  detail?: string[];
}

/** An action that an agent may safely do next. */
export type NextStep =
  | { kind: "tool"; tool: string; arguments: { [key: string]: Json }; why: string }
  | { kind: "config" | "command" | "doc"; text: string };

/** A call that cannot be answered, for a reason the agent can act on. */
export class Refusal extends Error {
  readonly code: Code;
  readonly nextSteps: NextStep[];
  readonly data: { [key: string]: Json };

  constructor(
    code: Code,
    message: string,
    options: { nextSteps?: NextStep[]; data?: { [key: string]: Json }; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "Refusal";
    this.code = code;
    this.nextSteps = options.nextSteps ?? [];
    this.data = options.data ?? {};
  }
}

/** A bug in lsp-proxy. Its message goes to the log; the agent is told only that it happened. */
export class Fault extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "Fault";
  }
}

/** A warning beside an answer. */
export interface Warning {
  code: Code;
  message: string;
  data?: { [key: string]: Json };
}

/** Several problems thrown as one, by the stage that cannot continue. */
export class ConfigError extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super(problems.map((problem) => `${problem.code}: ${problem.message}`).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
