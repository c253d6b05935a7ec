/** The language servers of one call, with the time that it waits for them: the same servers behind a stopwatch. */
import type { LanguageServer, ServerPool } from "../lsp/types.js";
import type { CallTime } from "./api.js";

type Reason = "waiting" | "server";

/** Divides the time of a call. While several things are waited for at once, the time counts once. */
export class Stopwatch {
  readonly #began = performance.now();
  readonly #open = { waiting: 0, server: 0 };
  readonly #spent = { waiting: 0, server: 0 };
  #last = this.#began;

  async during<T>(reason: Reason, work: () => Promise<T>): Promise<T> {
    this.#mark();
    this.#open[reason]++;
    try {
      return await work();
    } finally {
      this.#mark();
      this.#open[reason]--;
    }
  }

  /** The time until now. */
  read(): CallTime {
    this.#mark();
    const totalMs = this.#last - this.#began;
    const { waiting, server } = this.#spent;
    return { totalMs, waitingMs: waiting, serverMs: server, ownMs: totalMs - waiting - server };
  }

  #mark(): void {
    const now = performance.now();
    const reason = this.#open.server > 0 ? "server" : "waiting";
    if (this.#open[reason] > 0) this.#spent[reason] += now - this.#last;
    this.#last = now;
  }
}

export function timedPool(pool: ServerPool, watch: Stopwatch): ServerPool {
  return replacing(pool, {
    get: async (...args) => timedServer(await watch.during("waiting", () => pool.get(...args)), watch),
    running: () => pool.running().map((server) => timedServer(server, watch)),
    within: (roots) => timedPool(pool.within(roots), watch),
  });
}

function timedServer(server: LanguageServer, watch: Stopwatch): LanguageServer {
  /** A server that still indexes delays its answers: that is waiting. */
  const reason = (): Reason =>
    server.readiness === "starting" || server.readiness === "indexing" ? "waiting" : "server";
  return replacing(server, {
    request: (...args) => watch.during(reason(), () => server.request(...args)),
    diagnostics: (...args) => watch.during(reason(), () => server.diagnostics(...args)),
    workspaceDiagnostics: (...args) => watch.during(reason(), () => server.workspaceDiagnostics(...args)),
    waitUntilReady: (...args) => watch.during("waiting", () => server.waitUntilReady(...args)),
    offers: (...args) => watch.during("waiting", () => server.offers(...args)),
  });
}

/** The object with some members replaced. All others are its own, with their private state. */
function replacing<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (_target, name) => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
