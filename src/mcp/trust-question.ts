/** The question whether to trust the workspace, asked through the client with MCP elicitation. */
import { isTable } from "../base/json.js";

/** The actions of a session for calls that are refused for lack of trust. */
export interface TrustOffer {
  /** Whether another config is served, with which every call is refused, until the workspace is trusted. */
  isRefused: boolean;
  /** Whether the question is about the trust that this refusal's command would give. */
  covers(command: string): boolean;
  /** The question about the workspace as it is now; undefined when it cannot be asked in a session. */
  question(): TrustQuestion | undefined;
}

interface TrustQuestion {
  /** All that the trust allows. */
  message: string;
  /** Records a yes and switches to the trusted config; false when that fails. */
  grant(): Promise<boolean>;
}

/** Switches to the project in which the client works, given by its roots; undefined where they name none. */
export type SwitchProject = (
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

/** Asks the user through the client; or `later`, where the call ends with the question. */
export type AskTrust = ((question: string) => Promise<boolean>) | "later";

/** The question about trust in one session: it is asked once, and calls that need the answer meanwhile wait for it. */
export class SessionTrust {
  #answer: Promise<boolean> | undefined;
  /** A question that is not answered yet. */
  #pending: TrustQuestion | undefined;

  constructor(public offer: TrustOffer | undefined) {}

  /** The user's answer. Throws TrustNeeded where the question is asked `later`. */
  isGiven(ask: AskTrust | undefined): Promise<boolean> | boolean {
    if (this.#answer !== undefined || ask === undefined) return this.#answer ?? false;
    const question = this.offer?.question();
    if (question === undefined) return false;
    if (ask === "later") {
      this.#pending = question;
      this.#answer = Promise.resolve(false);
      throw new TrustNeeded(question.message);
    }
    this.#answer = ask(question.message).then((isYes) => isYes && question.grant());
    return this.#answer;
  }

  /** The client's answer to a question that was asked `later`. One that was not asked is ignored. */
  async answer(isYes: boolean): Promise<void> {
    const question = this.#pending;
    this.#pending = undefined;
    if (question === undefined || !isYes) return;
    this.#answer = question.grant();
    await this.#answer;
  }
}
