/**
 * The plain calls of one holder in the era without sessions. What a client says of itself stands beside every call, and is
 * the SDK's to judge, once: a call that says the same again, and whose head says what its body does, passes the SDK and
 * the web's streams, and is answered as the SDK would.
 */
import type { IncomingHttpHeaders } from "node:http";
import { canonicalText } from "../../base/json.js";
import type { Runtime } from "../../runtime/runtime.js";
import { answerTo, type PlainCall, plainCall } from "../call-lane.js";
import { clientNameIn, hasRoots, revisionIn, serverInfo } from "../era.js";
import { DirectAnswer, type Exchange } from "./direct-answer.js";
import type { RootedCalls } from "./rooted-calls.js";

/** How many clients' words are remembered, the latest; others are judged again. */
const mostEnvelopes = 64;

/** What a holder's lane needs. */
export interface ModernLaneContext {
  runtime: Runtime;
  calls: RootedCalls;
  /** Whether a client that has roots is asked for them with each call, which is the SDK's to do. */
  narrow: boolean;
}

/** The lane of one holder. */
export class ModernLane {
  readonly #context: ModernLaneContext;
  /** What the SDK has passed, as text. */
  readonly #passed = new Set<string>();
  readonly #answers = new Map<DirectAnswer, AbortController>();
  /** What every result says besides. */
  readonly #besides: { resultType: "complete"; _meta: { [member: string]: unknown } };

  constructor(context: ModernLaneContext) {
    this.#context = context;
    const { plan } = context.runtime.loaded;
    const info = { name: plan.mcp.name, version: context.runtime.version };
    this.#besides = { resultType: "complete", _meta: { [serverInfo]: info } };
  }

  /** The SDK has let a call through that says this. */
  readonly pass = (envelope: unknown): void => {
    this.#passed.add(canonicalText(envelope ?? null));
    const [oldest] = this.#passed;
    if (this.#passed.size > mostEnvelopes && oldest !== undefined) this.#passed.delete(oldest);
  };

  /** Answers a request that is a plain call, and nothing else, on its own connection; undefined for any other. */
  answer(headers: IncomingHttpHeaders, body: unknown, exchange: Exchange): Promise<undefined> | undefined {
    const call = plainCall(body);
    if (call === undefined || !this.#isPlain(call, headers)) return undefined;
    const answer = new DirectAnswer(exchange, undefined);
    const stop = new AbortController();
    this.#answers.set(answer, stop);
    exchange.response.once("close", () => {
      if (exchange.response.writableFinished) return;
      stop.abort();
      answer.end();
    });
    void this.#answer(call, answer, stop.signal);
    return answer.done.then(() => void this.#answers.delete(answer));
  }

  /** Ends everything that is under way. */
  close(): void {
    for (const [answer, stop] of this.#answers) {
      stop.abort();
      answer.end();
    }
  }

  #isPlain({ name, envelope }: PlainCall, headers: IncomingHttpHeaders): boolean {
    const { narrow, runtime } = this.#context;
    // The numbers of a dialect's own errors mean something to the SDK.
    if (envelope === undefined || runtime.loaded.plan.dialect.errors.form === "protocol") return false;
    if (headers["mcp-method"] !== "tools/call" || headers["mcp-name"] !== name) return false;
    if (headers["mcp-protocol-version"] !== revisionIn(envelope)) return false;
    return !(narrow && hasRoots(envelope)) && this.#passed.has(canonicalText(envelope));
  }

  async #answer(call: PlainCall, answer: DirectAnswer, signal: AbortSignal): Promise<void> {
    const send: DirectAnswer["send"] = (message) => answer.send(message);
    const calls = await this.#context.calls.of(undefined);
    const told = await answerTo(call, { calls, client: clientNameIn(call.envelope), signal, send });
    if (signal.aborted) return;
    const isResult = "result" in told;
    await send(isResult ? { ...told, result: { ...told.result, ...this.#besides } } : told);
  }
}
