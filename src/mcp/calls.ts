/**
 * The tools of one session, independent of the protocol version: the tool list, calls with their progress and results,
 * and ending them early. An unknown tool is a protocol error; every other failure is a tool result.
 */
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan, Plan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { nextTurn, sharedAbortController } from "../base/timing.js";
import type { CallToolResult, ClientInfo } from "../runtime/call-observer.js";
import type { Runtime } from "../runtime/runtime.js";
import type { CallOptions, CallOutcome, Session } from "../runtime/session.js";
import type { CallLimit, ProgressParams, WorkspaceChoice } from "./call-types.js";
import { type AbortReason, abortError, numberedError, refusalError } from "./protocol-error.js";
import { type EnterProject, TrustNeeded, type TrustOffer, type TrustQuestion } from "./trust-question.js";

/** One entry of `tools/list`; the output schema is present only where the dialect sends it. */
export type ListedTool = Omit<ToolEntry, "outputSchema"> & Partial<Pick<ToolEntry, "outputSchema">>;

/** Asks the user through the client; or `later`, where the call ends with the question. */
export type AskTrust = ((question: string) => Promise<boolean>) | "later";

export class SessionCalls {
  readonly #running = new Map<Promise<CallOutcome>, AbortSignal>();
  readonly #abort = sharedAbortController();
  readonly aborted: AbortSignal = this.#abort.signal;
  /** The answer to the question about trust, which is asked once, and a question that is not answered yet. */
  #answer: Promise<boolean> | undefined;
  #pending: TrustQuestion | undefined;
  #entered: Promise<void> | undefined;
  /** What the client said about itself, once it has. */
  client: ClientInfo | undefined;
  /** Ends the listening to updates of the runtime. */
  #unlisten: () => void = () => undefined;
  #onToolsChanged: (() => void) | undefined;
  /** Whether the session's workspace is known: on a gateway with several, the client's roots choose it. */
  #isBound: boolean;

  constructor(
    public runtime: Runtime,
    public session: Session,
    public trust?: TrustOffer,
    /** If the proxy was not started in a project: switches to the client's project. */
    private readonly enter?: EnterProject,
    /** Limits the calls that run at once. Over HTTP the gateway limits them. */
    private readonly limit?: CallLimit,
    private readonly workspaces?: WorkspaceChoice,
  ) {
    this.#isBound = workspaces === undefined;
  }

  /** Limits the session to the client's roots, in the workspace that they are in where there are several. */
  async narrow(uris: readonly string[] | undefined): Promise<void> {
    const chosen = this.workspaces?.choose(uris ?? []);
    if (chosen !== undefined && chosen !== this.runtime) this.#moveTo(chosen);
    if (chosen !== undefined) this.#isBound = true;
    await this.session.narrow(uris);
  }

  /** Goes on in another runtime. Calls that run are finished in the old one. */
  #moveTo(runtime: Runtime): void {
    const old = this.session;
    const running = [...this.#running.keys()];
    void Promise.allSettled(running).then(() => old.close());
    this.runtime = runtime;
    this.session = runtime.openSession(this.workspaces?.session ?? {});
    if (this.#onToolsChanged !== undefined) this.onToolsChanged(this.#onToolsChanged);
    this.#onToolsChanged?.();
  }

  /** Whether the client's roots say which project is served, because the proxy was started in none. */
  get needsRoots(): boolean {
    return this.enter !== undefined;
  }

  /** Whether the client's roots choose the project, or a workspace of the gateway. */
  get rootsChoose(): boolean {
    return this.needsRoots || this.workspaces !== undefined;
  }

  /** Goes on in the project of the client's roots. They are asked for once. */
  enterProject(roots: () => Promise<readonly string[]>): Promise<void> {
    this.#entered ??= roots().then(async (uris) => {
      const entered = await this.enter?.(uris);
      if (entered !== undefined) this.trust = entered.trust;
    });
    return this.#entered;
  }

  /** Calls the listener until the session ends, when the tools may differ: the config changed or is trusted now. */
  onToolsChanged(listener: () => void): void {
    this.#unlisten();
    this.#onToolsChanged = listener;
    this.#unlisten = this.runtime.onUpdated(listener);
    this.session.closed.addEventListener("abort", this.#unlisten, { once: true });
  }

  get loaded(): Runtime["loaded"] {
    return this.session.loaded;
  }

  get #plan(): Plan {
    return this.session.loaded.plan;
  }

  /** All tools on one page. A cursor is an error. */
  list(cursor: unknown): ListedTool[] {
    const { outputSchemas, errors } = this.#plan.dialect;
    if (cursor === undefined || cursor === null)
      return this.loaded.tools.map(({ outputSchema, ...rest }) =>
        outputSchemas ? { ...rest, outputSchema } : rest,
      );
    const refusal = new Refusal("page/cursor-invalid", "The list of tools has one page and no cursors.");
    throw refusalError(refusal, errors);
  }

  /**
   * Calls a tool for the client with this name; after a yes to the question about trust once more. Throws a
   * ProtocolError where the failure is no tool result, and TrustNeeded where the question is asked `later`.
   */
  async call(
    name: string,
    args: unknown,
    options: CallOptions,
    client: string | undefined,
    ask?: AskTrust,
  ): Promise<CallToolResult> {
    try {
      if (this.aborted.aborted) throw abortError(this.aborted.reason);
      let outcome = await this.#tracked(
        this.session.call(name, args, this.#withRefusal(options)),
        options.signal,
      );
      if (this.#isForTrust(outcome) && (await this.#isTrustGiven(ask)))
        outcome = await this.#tracked(this.session.call(name, args, options), options.signal);
      const { dialect, mcp } = this.#plan;
      if (outcome.isError && this.aborted.aborted) throw abortError(this.aborted.reason);
      if (outcome.error !== null && dialect.errors.form === "protocol") throw numberedError(outcome.error);
      const known = mcp.clients.find((entry) => matchesName(client, entry.name));
      return toolResult(outcome, dialect, known?.result);
    } catch (error) {
      throw error instanceof Refusal ? refusalError(error, this.#plan.dialect.errors) : error;
    }
  }

  /** Calls a tool for a resource; its outcome is no tool result. */
  async read(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    if (this.aborted.aborted) throw abortError(this.aborted.reason);
    const outcome = await this.#tracked(
      this.session.call(name, args, this.#withRefusal(options)),
      options.signal,
    );
    if (outcome.isError && this.aborted.aborted) throw abortError(this.aborted.reason);
    return outcome;
  }

  /** Options with the reason why the call is refused, where it is. */
  #withRefusal(options: CallOptions): CallOptions {
    const { running } = this;
    const { most = Number.POSITIVE_INFINITY, others = 0, setting } = this.limit?.now ?? {};
    const full = `${running + others} calls are running (${setting}). Call again when one is answered.`;
    const tooMany = running < most ? undefined : new Refusal("call/too-many", full);
    const { refusal = this.#isBound ? tooMany : this.workspaces?.refusal() } = options;
    return { ...options, refusal };
  }

  /** Waits for a call, which counts as running until then. */
  async #tracked(call: Promise<CallOutcome>, signal: AbortSignal): Promise<CallOutcome> {
    this.#running.set(call, signal);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  #isForTrust({ trustCommand }: CallOutcome): boolean {
    return trustCommand !== undefined && this.trust?.covers(trustCommand) === true;
  }

  /** Asks the user, once in the session; calls that need the answer meanwhile wait for it. */
  #isTrustGiven(ask: AskTrust | undefined): Promise<boolean> | boolean {
    if (this.#answer !== undefined || ask === undefined) return this.#answer ?? false;
    const question = this.trust?.question();
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
  async answerTrust(isYes: boolean): Promise<void> {
    const question = this.#pending;
    this.#pending = undefined;
    if (question === undefined || !isYes) return;
    this.#answer = question.grant();
    await this.#answer;
  }

  /** Ends the session and closes its runtime. */
  async close(): Promise<void> {
    this.session.close();
    await this.runtime.close();
  }

  get isBusy(): boolean {
    return this.running > 0;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Resolves when no call is running. */
  async idle(): Promise<void> {
    while (this.isBusy) await Promise.allSettled(this.#running.keys());
  }

  /** Resolves when the calls that clients have cancelled until now have ended. */
  async cancelledCallsEnded(): Promise<void> {
    // The SDK aborts the signal of a call one turn after it received the cancellation.
    await nextTurn();
    const cancelled = [...this.#running].filter(([, signal]) => signal.aborted);
    await Promise.allSettled(cancelled.map(([call]) => call));
  }

  /** Aborts all calls, also later ones. Each is answered with an error that says why. */
  abort(reason: AbortReason): void {
    this.#abort.abort(reason);
    this.session.close();
  }

  /** Aborts all calls and resolves when their answers were handed to the transport. */
  async abortAndAnswer(reason: AbortReason): Promise<void> {
    this.abort(reason);
    await this.idle();
    // The SDKs send an answer in the same turn in which the call ends.
    await nextTurn();
  }
}

/** Whether a client has this name. A name that ends in `*` is the beginning of one. */
function matchesName(client: string | undefined, name: string): boolean {
  return name.endsWith("*") ? client?.startsWith(name.slice(0, -1)) === true : client === name;
}

/** A function that reports progress. It does nothing without a token or after the call was cancelled. */
export function progressReporter(
  token: string | number | undefined,
  signal: AbortSignal,
  send: (params: ProgressParams) => Promise<void>,
): (message: string) => void {
  let progress = 0;
  return (message) => {
    if (token === undefined || signal.aborted) return;
    // Sending fails when the client has disconnected; the transport handles that.
    send({ progressToken: token, progress: ++progress, message }).catch(() => undefined);
  };
}

/** The tool result of an outcome. Errors always have a text, because some clients show their model nothing else. */
export function toolResult(
  outcome: CallOutcome,
  dialect: DialectPlan,
  form: DialectPlan["result"] = dialect.result,
): CallToolResult {
  const { isError, structured, text, notes } = outcome;
  const withText = form !== "structured" || isError;
  const withStructure = form !== "text" || dialect.outputSchemas;
  // Without structured content, the notes that a tool's own text leaves out need a block of their own.
  const texts = form === "text" && notes !== "" ? [text, notes] : [text];
  const result: CallToolResult = {
    content: withText ? texts.map((block) => ({ type: "text", text: block })) : [],
  };
  if (withStructure) result.structuredContent = structured;
  if (isError && dialect.errors.form !== "text") result.isError = true;
  return result;
}
