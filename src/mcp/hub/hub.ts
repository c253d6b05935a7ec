/**
 * The hub: one runtime, and so one set of language servers, for all sessions of a user in one workspace. Each
 * connection to its socket is a session of its own, or one question of the command line.
 */
import { renameSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../base/json.js";
import { here } from "../../base/platform.js";
import { startTimer, withTimeout } from "../../base/timing.js";
import { socketIdentity } from "../../hub/hub-folder.js";
import {
  firstMessage,
  type HubCommand,
  isCommand,
  type PrivateMessage,
  privateLine,
} from "../../hub/lines.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { TrustOffer } from "../trust-question.js";
import { HubSession } from "./hub-session.js";

interface HubOptions {
  runtime: Runtime;
  log: Log;
  workspace: string;
  /** Hashes of the flags and variables that it was started with, by name: other values have a hub of their own. */
  start: JsonObject;
  /** The trust actions of a session. When the user gives it, the session must switch to another hub: `leave`. */
  trust(leave: () => void): TrustOffer | undefined;
  /** The address of a link that opens the dashboard once; undefined where there is none. */
  dashboard(): Promise<string | undefined>;
  /** Answers one call of the command line. */
  call(command: HubCommand, signal: AbortSignal, onProgress: (text: string) => void): Promise<JsonObject>;
}

/** A connection that sends no first message within this time is closed. */
const FIRST_MESSAGE_MS = 5_000;
/** A hub that no session has used ends after this time: the process that starts one connects to it at once. */
const FIRST_SESSION_MS = 30_000;
const MB = 1024 * 1024;

export class Hub {
  readonly #sessions = new Set<HubSession>();
  readonly #calls = new Set<Socket>();
  #server: Server | undefined;
  /** Where it listens, and which socket is its own. */
  #place: { path: string; identity: string | undefined } | undefined;
  readonly #startedAt = Date.now();
  #idle: NodeJS.Timeout | undefined;
  #viewers = 0;
  #isEnding = false;
  #wasUsed = false;
  #onEnd: () => void = () => undefined;
  /** Resolves when the hub has nobody to serve: it was idle, or was told to end and all sessions have left. */
  readonly ended: Promise<void>;

  constructor(private readonly options: HubOptions) {
    this.ended = new Promise((resolve) => {
      this.#onEnd = resolve;
    });
    options.runtime.memory.watchClients(() => [...this.#sessions].map((session) => session.memory));
  }

  /** Whether new sessions can find its socket. */
  get isReachable(): boolean {
    return this.#place === undefined || socketIdentity(this.#place.path) === this.#place.identity;
  }

  /** Listens on a socket that is not in use; no longer on an earlier one. */
  async listen(path: string): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => void this.#accept(socket));
    // Node removes a socket by the name that it was bound to, where another hub may listen by then.
    const bound = here.hasSocketFiles ? join(dirname(path), `${process.pid}.bind`) : path;
    if (bound !== path) rmSync(bound, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(bound, () => resolve());
    });
    server.on("error", (error) => this.options.log("error", "the hub's socket", { cause: error.message }));
    if (bound !== path) renameSync(bound, path);
    this.#stopListening();
    this.#server = server;
    this.#place = { path, identity: socketIdentity(path) };
    if (this.#isEnding) this.#stopListening();
    else this.#countIdle();
  }

  /** Takes no new connections. The socket's file is removed only if it is still this hub's. */
  #stopListening(): void {
    this.#server?.close();
    if (this.#place !== undefined && here.hasSocketFiles && this.isReachable)
      rmSync(this.#place.path, { force: true });
  }

  /**
   * Takes no new sessions, and tells the others to leave after their running calls. With `lazy` they look for another
   * hub only when they need one. Sessions that stay longer than `limitMs` are disconnected.
   */
  end(lazy: boolean, limitMs: number): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#idle);
    this.#stopListening();
    for (const session of this.#sessions) session.drain(lazy);
    if (this.#isEmpty) this.#onEnd();
    startTimer(this.#onEnd, limitMs).unref();
  }

  /** Disconnects everybody. */
  close(): void {
    this.#stopListening();
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#calls) socket.destroy();
  }

  get #isEmpty(): boolean {
    const viewers = this.#isEnding ? 0 : this.#viewers;
    return this.#sessions.size + this.#calls.size + viewers === 0;
  }

  /** The number of open pages of the dashboard. As with sessions, the hub does not end while there is one. */
  set viewers(count: number) {
    this.#viewers = count;
    this.#wasUsed = true;
    this.#countIdle();
  }

  async #accept(socket: Socket): Promise<void> {
    socket.on("error", () => socket.destroy());
    const first = await withTimeout(firstMessage(socket), FIRST_MESSAGE_MS);
    if (first?.kind === "session" && !this.#isEnding) await this.#serve(socket, first.body);
    else if (isCommand(first) && !this.#isEnding) await this.#call(socket, first);
    else if (first?.kind === "dashboard" && !this.#isEnding)
      socket.end(privateLine("answer", { url: (await this.options.dashboard()) ?? null }));
    else if (first?.kind === "status") socket.end(privateLine("answer", this.#status()));
    else if (first?.kind === "stop") {
      // The connection stays open until this process ends, so that its end tells the client that the hub has ended.
      socket.unref().write(privateLine("answer", { pid: process.pid }));
      this.end(true, this.options.runtime.loaded.plan.http.drainMs);
    } else socket.destroy();
  }

  async #serve(socket: Socket, body: PrivateMessage["body"]): Promise<void> {
    const { runtime, log, trust } = this.options;
    if (this.#sessions.size >= runtime.loaded.plan.http.maxSessions) {
      socket.end(privateLine("full"));
      return;
    }
    clearTimeout(this.#idle);
    this.#wasUsed = true;
    const holder = typeof body.holder === "string" ? body.holder : undefined;
    const offer = trust(() => socket.destroy());
    const session = new HubSession({ runtime, log, socket, holder, trust: offer, others: this.#sessions });
    this.#sessions.add(session);
    if (body.warm === true) void runtime.warmup();
    const ready = () => {
      const { plan, manifest } = runtime.loaded;
      const reads = plan.tools.filter(({ effect }) => effect === "read").map(({ name }) => name);
      socket.write(privateLine("ready", { reads, bundle: manifest.bundle }));
    };
    ready();
    void runtime.finder.lookAgain();
    const unlisten = runtime.onUpdated(ready);
    try {
      await session.serve();
    } catch (error) {
      log("error", "a session failed", {
        cause: error instanceof Error ? (error.stack ?? "") : String(error),
      });
    } finally {
      unlisten();
      socket.end();
      this.#sessions.delete(session);
      this.#countIdle();
    }
  }

  /** One call of the command line, with its progress. It ends with its connection. */
  async #call(socket: Socket, command: HubCommand): Promise<void> {
    clearTimeout(this.#idle);
    this.#calls.add(socket);
    const controller = new AbortController();
    socket.once("close", () => controller.abort());
    socket.once("end", () => controller.abort()).resume();
    try {
      socket.write(privateLine("ready"));
      const answer = await this.options.call(command, controller.signal, (text) =>
        socket.write(privateLine("progress", { text })),
      );
      socket.end(privateLine("answer", answer));
    } catch (error) {
      this.options.log("error", "a call of the command line failed", { cause: String(error) });
      socket.destroy();
    } finally {
      this.#calls.delete(socket);
      this.#countIdle();
    }
  }

  /** Starts the time after which a hub without sessions ends. */
  #countIdle(): void {
    clearTimeout(this.#idle);
    if (!this.#isEmpty) return;
    if (this.#isEnding) {
      this.#onEnd();
      return;
    }
    const { idleMinutes } = this.options.runtime.loaded.plan.share;
    const idleMs = this.#wasUsed ? idleMinutes * 60_000 : Math.min(idleMinutes * 60_000, FIRST_SESSION_MS);
    this.#idle = setTimeout(() => this.end(true, 0), idleMs);
  }

  #status(): JsonObject {
    const { runtime, workspace, start } = this.options;
    const servers = runtime.pool.status().filter(({ pid }) => pid !== null);
    return {
      pid: process.pid,
      version: runtime.version,
      workspace,
      bundle: runtime.loaded.manifest.bundle,
      roots: [...runtime.roots],
      start,
      sessions: this.#sessions.size,
      uptime_ms: Date.now() - this.#startedAt,
      memory_mb: Math.round(process.memoryUsage.rss() / MB),
      servers: servers.map(({ id, pid, state, memoryMb }) => ({ id, pid, state, memory_mb: memoryMb })),
    };
  }
}
