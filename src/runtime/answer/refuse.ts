/** A refusal as the agent is told it, in both forms, each complete and marked as an error. */
import type { Answer } from "../../abi/handler.js";
import { codes } from "../../base/codes.js";
import type { JsonObject } from "../../base/json.js";
import type { NextStep, Refusal, Warning } from "../../base/problem.js";
import type { Readiness } from "../../lsp/types.js";
import { SCHEMA_VERSION } from "../../protocol/envelope.js";
import { spellMembers } from "../../protocol/members.js";
import { stepLine, warningLine, warningValue } from "./remarks.js";
import { errorMembers, errorWords, numberOf, type Wording } from "./wording.js";

/** What is told beside a refusal. */
export interface Beside {
  warnings: Warning[];
  /** Of the servers, where that may be the reason. */
  readiness: Readiness | undefined;
  input: JsonObject | undefined;
}

/** A refusal in both forms; without next steps of its own it gives the fix that the catalogue has for its code. */
export function refuse(
  tool: string,
  refusal: Refusal,
  listed: readonly string[],
  { warnings, readiness, input }: Beside,
  { dialect, errorText }: Wording,
): Answer {
  const own = refusal.nextSteps.filter((step) => step.kind !== "tool" || listed.includes(step.tool));
  // A call that leads on says where to look; what mends the matter is told besides.
  const isMended = own.some((step) => step.kind !== "tool");
  const steps: NextStep[] = isMended ? own : [...own, { kind: "doc", text: codes[refusal.code].fix }];
  const { data } = refusal;
  const { code, message } = errorWords(dialect.errors, refusal.code, refusal.message);
  const hasData = Object.keys(data).length > 0;
  const structured: JsonObject = {
    schema_version: SCHEMA_VERSION,
    ok: false,
    tool,
    ...(readiness === undefined ? {} : { readiness }),
    error: hasData ? { code, message, data } : { code, message },
    ...errorMembers(dialect.errors, refusal, message),
    ...(dialect.echo === null || input === undefined ? {} : { [dialect.echo]: input }),
    next_steps: steps.map((step): JsonObject => ({ ...step })),
    warnings: warnings.map(warningValue),
  };
  return {
    structured: spellMembers(dialect, structured),
    notes: "",
    headline: `${code}: ${message}`,
    text:
      errorText?.({ ...structured, code, message, data, number: numberOf(dialect.errors, refusal) }) ??
      [
        `Error ${code}: ${message}`,
        ...(hasData ? [`Details: ${JSON.stringify(data)}`] : []),
        ...steps.map(stepLine),
        ...warnings.map((warning) => warningLine(warning, dialect)),
      ].join("\n"),
  };
}
