/** The question whether to trust the workspace, asked through the client with MCP elicitation. */
import { isTable } from "../base/json.js";

/** What a session can do about calls that are refused for lack of trust. */
export interface TrustOffer {
  /** Whether another config is served, with which every call is refused, until the workspace is trusted. */
  isRefused: boolean;
  /** Whether the question is about the trust that this refusal's command would give. */
  covers(command: string): boolean;
  /** The question about the workspace as it is now; undefined when it cannot be asked in a session. */
  question(): TrustQuestion | undefined;
}

export interface TrustQuestion {
  /** All that the trust allows. */
  message: string;
  /** Records a yes and goes on with the trusted config; false when that fails. */
  grant(): Promise<boolean>;
}

/** Goes on in the project in which the client works, given by its roots; undefined where they name none. */
export type EnterProject = (
  roots: readonly string[],
) => Promise<{ trust: TrustOffer | undefined } | undefined>;

/** The parameters of `elicitation/create`: a form with one box, empty until the user ticks it. */
export function trustForm(message: string) {
  const trust = {
    type: "boolean" as const,
    title: "Trust this workspace",
    description: "Recorded as `lsp-proxy trust` does; `lsp-proxy trust --remove` revokes it.",
    default: false,
  };
  return {
    message,
    requestedSchema: { type: "object" as const, properties: { trust }, required: ["trust"] },
  };
}

/** Whether an answer to the form is a yes. */
export function isYes(answer: unknown): boolean {
  return (
    isTable(answer) && answer.action === "accept" && isTable(answer.content) && answer.content.trust === true
  );
}

/** Whether a client's capability `elicitation` includes forms. Without modes it means forms. */
export function takesForms(elicitation: unknown): boolean {
  return isTable(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Thrown where the protocol asks by ending the call: the client answers and calls again. */
export class TrustNeeded extends Error {
  constructor(readonly question: string) {
    super("the workspace is not trusted");
    this.name = "TrustNeeded";
  }
}
