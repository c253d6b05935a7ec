/**
 * The gateways of one HTTP server: one for each workspace at its path,
 * and one at the common path. They share all limits.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { CallSlots } from "./call-slots.js";
import { pathOf } from "./checks.js";
import { Gateway, type GatewayContext } from "./gateway.js";
import type { Workspace } from "./workspaces.js";

export class Gateways {
  readonly #common: Gateway;
  readonly #byPath = new Map<string, Gateway>();
  readonly #path: string;

  /** The address, the tokens and the limits are those of the first workspace, whose config is the gateway's own. */
  constructor(
    workspaces: readonly [Workspace, ...Workspace[]],
    context: Pick<GatewayContext, "tokens" | "log" | "trace">,
  ) {
    const [{ runtime }] = workspaces;
    const { http } = runtime.loaded.plan;
    this.#path = http.path;
    const slots = new CallSlots({
      max: http.maxCalls,
      maxPerOwner: http.maxCallsPerSession,
      isShared: () => new Set(this.#all().flatMap((gateway) => gateway.holders())).size > 1,
    });
    const sessions = () => this.#all().flatMap((gateway) => gateway.sessions.all);
    const shared = { ...context, slots, sessions };
    this.#common = new Gateway(runtime, http, { ...shared, workspaces });
    if (workspaces.length < 2) return;
    for (const { name, runtime } of workspaces) {
      const path = `${http.path}/${name}`;
      this.#byPath.set(path, new Gateway(runtime, { ...http, path }, { ...shared, workspaces: [] }));
    }
  }

  /** Whether a path is one of MCP. */
  serves(path: string): boolean {
    return path === this.#path || this.#byPath.has(path);
  }

  /** Answers a request; gives whether it has a valid token. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    return (this.#byPath.get(pathOf(incoming)) ?? this.#common).handle(incoming, outgoing);
  }

  /** Accepts no more requests; resolves when the running calls are answered. */
  async drain(): Promise<void> {
    await Promise.all(this.#all().map((gateway) => gateway.drain()));
  }

  /** Aborts the running calls; resolves when each is answered with an error. */
  async abortCalls(): Promise<void> {
    await Promise.all(this.#all().map((gateway) => gateway.abortCalls()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((gateway) => gateway.close()));
  }

  #all(): Gateway[] {
    return [this.#common, ...this.#byPath.values()];
  }
}
