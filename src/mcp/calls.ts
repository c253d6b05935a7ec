/**
 * The tools of one session, independent of the protocol version: the tool list, calls with their progress and results,
 * and ending them early. An unknown tool is a protocol error; every other failure is a tool result.
 */
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan, Plan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { Listeners, nextTurn, sharedAbortController } from "../base/timing.js";
import type { CallToolResult, CallWatch, ClientInfo, WatchedSession } from "../runtime/call-observer.js";
import type { Runtime } from "../runtime/runtime.js";
import type { CallOptions, CallOutcome, Session } from "../runtime/session.js";
import type { CallLimit, CallsOptions, ProgressParams } from "./call-types.js";
import { type AbortReason, abortError, numberedError, refusalError } from "./protocol-error.js";
import { listenToRuntime } from "./runtime-listener.js";
import { type AskTrust, SessionTrust } from "./trust-question.js";

/** One entry of `tools/list`; the output schema is present only where the dialect sends it. */
type ListedTool = Omit<ToolEntry, "outputSchema"> & Partial<Pick<ToolEntry, "outputSchema">>;

export class SessionCalls implements WatchedSession {
  readonly #running = new Map<Promise<CallOutcome>, AbortSignal>();
  readonly #abort = sharedAbortController();
  readonly aborted: AbortSignal = this.#abort.signal;
  #projectSwitch: Promise<void> | undefined;
  /** The client's name and version, once it has sent them. */
  client: ClientInfo | undefined;
  readonly trust: SessionTrust;
  /** Sessions in runtimes that were switched from, while their calls run. */
  readonly #earlier = new Set<Session>();
  readonly #switched = new Listeners();
  /** Calls the listener when another runtime is used. */
  readonly onSwitched = this.#switched.subscribe;
  #unlistenTools: () => void = () => undefined;
  /** Whether the session's workspace is known: on a gateway with several, the client's roots choose it. */
  #isBound: boolean;

  constructor(
    public runtime: Runtime,
    public session: Session,
    private readonly options: CallsOptions = {},
  ) {
    this.trust = new SessionTrust(options.trust);
    this.#isBound = options.workspaces === undefined;
    this.#watch?.opened(this);
  }

  get #watch(): CallWatch | undefined {
    return this.options.watch ?? this.runtime.watch;
  }

  get roots(): readonly string[] {
    return this.session.roots;
  }

  get isClosed(): boolean {
    return this.session.closed.aborted;
  }

  /** Limits the session to the client's roots, in the workspace that they are in where there are several. */
  narrow(uris: readonly string[] | undefined): void {
    const chosen = this.options.workspaces?.choose(uris ?? []);
    if (chosen !== undefined && chosen !== this.runtime) this.#switchTo(chosen);
    if (chosen !== undefined) this.#isBound = true;
    this.session.narrow(uris);
  }

  /** Later calls use another runtime; those that run finish in the old one. */
  #switchTo(runtime: Runtime): void {
    const old = this.session;
    this.#earlier.add(old);
    void Promise.allSettled(this.#running.keys()).then(() => {
      this.#earlier.delete(old);
      old.close();
    });
    this.runtime = runtime;
    this.session = runtime.openSession(this.options.workspaces?.session ?? {});
    this.#switched.notify();
  }

  /** Whether the client's roots say which project is served, because the proxy was started in none. */
  get needsRoots(): boolean {
    return this.options.switchProject !== undefined;
  }

  /** Whether the client's roots choose the project, or a workspace of the gateway. */
  get rootsChoose(): boolean {
    return this.needsRoots || this.options.workspaces !== undefined;
  }

  /** Switches to the project of the client's roots. They are asked for once; after a failure again at the next call. */
  switchProject(
    roots: () => Promise<readonly string[]>,
    onFailed: (error: unknown) => void = () => undefined,
  ): Promise<void> {
    this.#projectSwitch ??= roots()
      .then((uris) => this.options.switchProject?.(uris))
      .then(
        (project) => {
          if (project !== undefined) this.trust.offer = project.trust;
        },
        (error: unknown) => {
          this.#projectSwitch = undefined;
          onFailed(error);
        },
      );
    return this.#projectSwitch;
  }

  /** Calls the listener until the session ends, when the tools may differ: the config changed or is trusted now. */
  onToolsChanged(listener: () => void): void {
    this.#unlistenTools();
    this.#unlistenTools = listenToRuntime(this, ["onUpdated"], listener);
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
    const watch = this.#watch;
    if (watch !== undefined && client !== undefined) this.client ??= { name: client, version: undefined };
    const watched = watch?.began(this, name, args);
    const observed = { ...options, observer: watched?.observer };
    const { signal } = options;
    try {
      if (this.aborted.aborted) throw abortError(this.aborted.reason);
      let outcome = await this.#tracked(this.session.call(name, args, this.#withRefusal(observed)), signal);
      if (this.#isForTrust(outcome) && (await this.trust.isGiven(ask)))
        outcome = await this.#tracked(this.session.call(name, args, observed), signal);
      const { dialect, mcp } = this.#plan;
      if (outcome.isError && this.aborted.aborted) throw abortError(this.aborted.reason);
      if (outcome.error !== null && dialect.errors.form === "protocol") throw numberedError(outcome.error);
      const known = mcp.clients.find((entry) => matchesName(client, entry.name));
      const result = toolResult(outcome, dialect, known?.result);
      watched?.ended(result);
      return result;
    } catch (error) {
      const shown = error instanceof Refusal ? refusalError(error, this.#plan.dialect.errors) : error;
      watched?.failed(shown);
      throw shown;
    }
  }

  /** Calls a tool for a resource; its outcome is no tool result. */
  async read(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const watched = this.#watch?.began(this, name, args);
    const observed = { ...options, observer: watched?.observer };
    const { signal } = options;
    try {
      if (this.aborted.aborted) throw abortError(this.aborted.reason);
      const outcome = await this.#tracked(this.session.call(name, args, this.#withRefusal(observed)), signal);
      if (outcome.isError && this.aborted.aborted) throw abortError(this.aborted.reason);
      const { text, structured } = outcome;
      watched?.ended({ content: [{ type: "text", text }], structuredContent: structured });
      return outcome;
    } catch (error) {
      watched?.failed(error);
      throw error;
    }
  }

  /** Options with the reason why the call is refused, where it is. */
  #withRefusal(options: CallOptions): CallOptions {
    const { limit, workspaces } = this.options;
    const own = { most: this.#plan.http.maxCalls, others: 0, setting: "http.max_calls" };
    const tooMany = tooManyCalls(this.running, limit === "own" ? own : limit?.());
    const { refusal = this.#isBound ? tooMany : workspaces?.refusal() } = options;
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
    return trustCommand !== undefined && this.trust.offer?.covers(trustCommand) === true;
  }

  /** Ends the session; its calls are cancelled. */
  end(): void {
    for (const session of [this.session, ...this.#earlier]) session.close();
  }

  /** Ends the session and closes its runtime. */
  async close(): Promise<void> {
    this.end();
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
    this.end();
  }

  /** Aborts all calls and resolves when their answers were handed to the transport. */
  async abortAndAnswer(reason: AbortReason): Promise<void> {
    this.abort(reason);
    await this.idle();
    // The SDKs send an answer in the same turn in which the call ends.
    await nextTurn();
  }
}

function tooManyCalls(running: number, limit: CallLimit | undefined): Refusal | undefined {
  if (limit === undefined || running < limit.most) return undefined;
  const most = limit.most + limit.others;
  const full = `At most ${most} calls may run at a time (${limit.setting}). Call again when one is answered.`;
  return new Refusal("call/too-many", full);
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
