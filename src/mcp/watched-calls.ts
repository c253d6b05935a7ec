/** The calls of a session in a process that shows them: each is reported to the runtime's watch. */
import type { CallToolResult, CallWatch, WatchedSession } from "../runtime/call-observer.js";
import type { Runtime } from "../runtime/runtime.js";
import type { CallOptions, CallOutcome } from "../runtime/session.js";
import { type AskTrust, SessionCalls } from "./calls.js";

type Parameters = ConstructorParameters<typeof SessionCalls>;

/** The calls of a session; watched where its runtime has a watch. */
export function openCalls(...parameters: Parameters): SessionCalls {
  const [{ watch }] = parameters;
  if (watch === undefined) return new SessionCalls(...parameters);
  // The roots of a client may choose another workspace, with a runtime of its own.
  return new WatchedCalls((runtime) => runtime.watch ?? watch, ...parameters);
}

export class WatchedCalls extends SessionCalls implements WatchedSession {
  constructor(
    private readonly watchOf: (runtime: Runtime) => CallWatch,
    ...parameters: Parameters
  ) {
    super(...parameters);
    watchOf(this.runtime).opened(this);
  }

  get roots(): readonly string[] {
    return this.session.roots;
  }

  get isClosed(): boolean {
    return this.session.closed.aborted;
  }

  override async call(
    name: string,
    args: unknown,
    options: CallOptions,
    client: string | undefined,
    ask?: AskTrust,
  ): Promise<CallToolResult> {
    if (client !== undefined) this.client ??= { name: client, version: undefined };
    const watched = this.watchOf(this.runtime).began(this, name, args);
    try {
      const result = await super.call(name, args, { ...options, observer: watched.observer }, client, ask);
      watched.ended(result);
      return result;
    } catch (error) {
      watched.failed(error);
      throw error;
    }
  }

  override async read(name: string, args: unknown, options: CallOptions): Promise<CallOutcome> {
    const watched = this.watchOf(this.runtime).began(this, name, args);
    try {
      const outcome = await super.read(name, args, { ...options, observer: watched.observer });
      const { text, structured } = outcome;
      watched.ended({ content: [{ type: "text", text }], structuredContent: structured });
      return outcome;
    } catch (error) {
      watched.failed(error);
      throw error;
    }
  }
}
