/**
 * The place of one server for one root: empty, starting, running, or resting after a failure. Starts once however many
 * ask; restarts with growing pauses; after too many deaths in a window it refuses quickly, until the window has passed
 * or somebody restarts it by hand. It is never broken for ever.
 */

import type { ServerPlan } from "../abi/plan.js";
import type { Code } from "../base/codes.js";
import { sortedSet } from "../base/order.js";
import { Fault, Refusal } from "../base/problem.js";
import { blankStatus } from "./blank-status.js";
import type { Instance } from "./instance.js";
import { Deaths } from "./process/deaths.js";
import type { Log, ServerState, ServerStatus } from "./types.js";
import { Upkeep } from "./upkeep.js";
import { cancelled, unlessAborted } from "./wire/cancel.js";
import { redact } from "./wire/redact.js";

/** Why a program is not started at all: that is no death, and the next call looks again. */
const unavailable: ReadonlySet<Code> = new Set<Code>([
  "lsp/not-installed",
  "lsp/not-allowed",
  "lsp/not-locked",
  "lsp/no-sandbox",
]);

export interface SlotContext {
  plan: ServerPlan;
  root: string;
  roots: readonly string[];
  log: Log;
  /** Launches and initializes a new instance; rejects when it does not come up, or when the signal says so. */
  start: (generation: number, folders: readonly string[], signal: AbortSignal) => Promise<Instance>;
}

export class Slot {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly #context: SlotContext;
  #instance: Instance | undefined;
  #starting: Promise<Instance> | undefined;
  #startAbort: AbortController | undefined;
  #generation = 0;
  /** Further roots that the instance serves, also the next one. */
  readonly #folders = new Set<string>();
  /** The last end that nobody asked for. */
  #lastEnd: { generation: number; reason: string; told: boolean } | undefined;
  readonly #deaths: Deaths;
  #stopped = false;
  #unavailable = false;
  #lastUsed: number | undefined;
  #lastError: string | null = null;
  #lastStderr: string[] = [];
  readonly #upkeep: Upkeep;

  constructor(context: SlotContext) {
    this.#context = context;
    this.plan = context.plan;
    this.root = context.root;
    this.#deaths = new Deaths(context.plan.restart);
    this.#upkeep = new Upkeep({
      plan: context.plan,
      isBusy: () => this.busy,
      retire: (why) => this.#retire(why),
      condemn: (why) => this.#condemn(why),
    });
  }

  /** The instance that runs, if one does. */
  get instance(): Instance | undefined {
    return this.#instance?.dead ? undefined : this.#instance;
  }

  /** Whether it takes up one of the places for running servers. */
  get occupied(): boolean {
    return this.#starting !== undefined || this.instance !== undefined;
  }

  get busy(): boolean {
    return this.#starting !== undefined || (this.instance?.pending ?? 0) > 0;
  }

  get lastUsed(): number {
    return this.#lastUsed ?? 0;
  }

  /** Whether it is the place of a root. */
  holds(root: string): boolean {
    return root === this.root || this.#folders.has(root);
  }

  /** Takes in one more root, when the instance that runs can serve several. */
  adopt(root: string): boolean {
    const instance = this.instance;
    if (!instance?.takesFolders) return false;
    this.#folders.add(root);
    instance.addFolder(root);
    return true;
  }

  /** Why an instance since `generation` ended unasked; what ended before that is told once. */
  newsSince(generation: number): string | undefined {
    const end = this.#lastEnd;
    if (!end || (end.told && end.generation < generation)) return undefined;
    end.told = true;
    return redact(end.reason, this.#context.roots);
  }

  /** The running instance, started when needed. The caller's signal ends the caller's wait, not the start. */
  async get(signal: AbortSignal): Promise<Instance> {
    if (signal.aborted) throw cancelled(signal);
    const running = this.running();
    if (running) return running;
    this.#lastUsed = performance.now();
    this.#starting ??= this.#begin();
    return unlessAborted(this.#starting, signal);
  }

  /** The instance that runs, if one does, to be asked something. */
  running(): Instance | undefined {
    const { instance } = this;
    if (instance === undefined) return undefined;
    this.#lastUsed = performance.now();
    this.#upkeep.used();
    return instance;
  }

  /** Resolves when nothing is starting any more, whatever came of it. */
  async started(signal: AbortSignal): Promise<void> {
    const starting = this.#starting?.catch(() => undefined);
    if (starting) await unlessAborted(starting, signal);
  }

  #begin(): Promise<Instance> {
    const abort = new AbortController();
    this.#startAbort = abort;
    const starting = this.#start(abort.signal).finally(() => {
      this.#starting = undefined;
    });
    // Whoever waits hears of a failure; when nobody waits any more, nobody needs to.
    starting.catch(() => undefined);
    return starting;
  }

  /** Ends the instance, also one that is starting, and forgets its failures; the next `get` starts a new one at once. */
  async stop(): Promise<boolean> {
    this.#deaths.clear();
    this.#lastEnd = undefined;
    this.#stopped = true;
    if (this.#starting) {
      this.#startAbort?.abort(new Refusal("lsp/exited", `server "${this.plan.id}" was stopped`));
      await this.#starting.catch(() => undefined);
    }
    const instance = this.#instance;
    this.#rest();
    await instance?.end();
    return instance !== undefined;
  }

  status(): ServerStatus {
    const roots = this.#context.roots;
    const known = this.instance?.status;
    const lastError = known?.lastError ?? this.#lastError;
    return {
      ...blankStatus(this.plan.id, this.#state()),
      ...(this.#starting ? { readiness: "starting" as const } : {}),
      ...known,
      root: this.root,
      otherRoots: sortedSet(this.#folders),
      lastUsedMs: this.#lastUsed === undefined ? null : Math.round(performance.now() - this.#lastUsed),
      restarts: Math.max(0, this.#generation - 1),
      progress: known?.progress == null ? null : redact(known.progress, roots),
      lastError: lastError === null ? null : redact(lastError, roots),
      stderr: (known?.stderr ?? this.#lastStderr).map((line) => redact(line, roots)),
    };
  }

  #state(): ServerState {
    if (this.instance) return "running";
    if (this.#starting) return "starting";
    if (this.#unavailable) return "unavailable";
    if (this.#deaths.tooMany) return "broken";
    if (this.#deaths.pauseMs > 0) return "backoff";
    return this.#stopped ? "stopped" : "idle";
  }

  async #start(signal: AbortSignal): Promise<Instance> {
    this.#refuseWhenBroken();
    const pause = this.#deaths.pauseMs;
    // The pause of a restart; without one a server that dies at once would be started as fast as it is asked for.
    if (pause > 0) await unlessAborted(new Promise((done) => setTimeout(done, pause)), signal);
    this.#stopped = false;
    this.#unavailable = false;
    this.#generation++;
    let instance: Instance;
    try {
      instance = await this.#context.start(this.#generation, [...this.#folders], signal);
    } catch (error) {
      throw signal.aborted ? cancelled(signal) : this.#failedToStart(error);
    }
    this.#instance = instance;
    this.#context.log("info", "server started", { server: this.plan.id, generation: this.#generation });
    void instance.over.then((reason) => this.#ended(instance, reason));
    this.#lastUsed = performance.now();
    this.#upkeep.begin(instance);
    return instance;
  }

  #failedToStart(error: unknown): Error {
    if (!(error instanceof Refusal))
      return new Fault("a server's start failed unexpectedly", { cause: error });
    this.#lastError = error.message;
    if (Array.isArray(error.data.stderr)) this.#lastStderr = error.data.stderr.map(String);
    this.#unavailable = unavailable.has(error.code);
    if (!this.#unavailable) this.#deaths.add();
    this.#context.log("warn", "server did not start", { server: this.plan.id, error: error.message });
    const { code, message, nextSteps } = error;
    return new Refusal(code === "lsp/exited" || code === "lsp/timeout" ? "lsp/start-failed" : code, message, {
      nextSteps,
      cause: error,
    });
  }

  /** The process is gone; when nobody asked for that, it counts. */
  #ended(instance: Instance, reason: string): void {
    this.#lastStderr = instance.stderr;
    if (this.#instance !== instance) return;
    this.#rest();
    this.#lastError = `server "${this.plan.id}" ${reason}`;
    this.#lastEnd = { generation: instance.generation, reason, told: false };
    this.#deaths.add();
    this.#context.log("warn", "server ended", { server: this.plan.id, reason });
  }

  #rest(): void {
    this.#instance = undefined;
    this.#upkeep.end();
  }

  #refuseWhenBroken(): void {
    if (!this.#deaths.tooMany) return;
    const seconds = Math.ceil(this.#deaths.brokenMs / 1000);
    const words = `server "${this.plan.id}" ended ${this.#deaths.count} times; it is tried again in ${seconds} s`;
    throw new Refusal(
      "lsp/start-failed",
      `${words}. Last: ${redact(this.#lastError ?? "", this.#context.roots)}`,
    );
  }

  /** Ends an instance that is not needed now; the next call starts another. */
  #retire(why: string): void {
    const instance = this.#instance;
    if (!instance) return;
    this.#context.log("info", "server stopped", { server: this.plan.id, why });
    this.#stopped = true;
    this.#rest();
    void instance.end();
  }

  /** Ends an instance that may not go on; that counts as a death. */
  #condemn(why: string): void {
    const instance = this.#instance;
    if (!instance) return;
    this.#ended(instance, why);
    void instance.kill(why);
  }
}
