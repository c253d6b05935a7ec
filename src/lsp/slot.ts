/**
 * One server for one root, through all its starts: not started, starting, running, or waiting after a failure. Starts
 * once however many calls wait; restarts with growing backoff; after too many crashes in a window it refuses at once,
 * until the window has passed or someone restarts it by hand.
 */
import type { ServerPlan } from "../abi/plan.js";
import type { Code } from "../base/codes.js";
import { sortedSet } from "../base/order.js";
import { Fault, Refusal } from "../base/problem.js";
import { cancelled, delay, untilAborted } from "../base/timing.js";
import { acceptsFolders } from "./further-roots.js";
import type { Instance, InstanceContext } from "./instance.js";
import { CrashWindow, InstanceMonitor } from "./instance-lifetime.js";
import { reasonIn, START_FAILED } from "./process/start-failure.js";
import { trustCommandIn } from "./process/trusted.js";
import { lacksProject } from "./route.js";
import { blankStatus } from "./server-status.js";
import type { Log, ServerState, ServerStatus } from "./types.js";
import { redact } from "./wire/redact.js";

/** Reasons why a program is not started at all. They are no crashes, and the next call tries again. */
const unavailableCodes: ReadonlySet<Code> = new Set<Code>([
  "lsp/not-installed",
  "lsp/not-allowed",
  "lsp/not-locked",
  "lsp/no-sandbox",
]);

/** A server is ended at most once in this time because it fails since a cancellation. */
const STUCK_MS = 120_000;

export interface SlotContext {
  plan: ServerPlan;
  root: string;
  roots: readonly string[];
  log: Log;
  /** Starts the server for the slot's roots. */
  start: (slot: Slot, generation: number, signal: AbortSignal) => Promise<Instance>;
  /** Runs a command in another server. */
  command: InstanceContext["command"];
}

export class Slot {
  readonly plan: ServerPlan;
  readonly root: string;
  readonly #crashes: CrashWindow;
  readonly #monitor = new InstanceMonitor(this);
  /** Further roots that the instance serves; the next instance gets them too. */
  readonly #otherRoots = new Set<string>();
  #instance: Instance | undefined;
  #starting: Promise<Instance> | undefined;
  #startAbort: AbortController | undefined;
  /** Resolves when the processes of all earlier instances are gone, or could not be ended in time. */
  #ending: Promise<unknown> = Promise.resolve();
  #generation = 0;
  #lastCrash: { generation: number; reason: string; isReported: boolean } | undefined;
  #isStopped = false;
  #isUnavailable = false;
  #lacksProject = false;
  #lastUsed: number | undefined;
  #endedStuckAt = Number.NEGATIVE_INFINITY;
  #lastError: string | null = null;
  /** Whether the last start was refused for lack of trust. */
  #lacksTrust = false;
  #lastStderr: string[] = [];

  constructor(private context: SlotContext) {
    this.plan = context.plan;
    this.root = context.root;
    this.#crashes = new CrashWindow(context.plan.restart);
  }

  /** Switches to another pool, whose plan has the same server. */
  switchTo(context: SlotContext): void {
    this.context = context;
  }

  /** Runs a command in another server. */
  readonly command: InstanceContext["command"] = (...command) => this.context.command(...command);

  get instance(): Instance | undefined {
    return this.#instance?.hasEnded ? undefined : this.#instance;
  }

  /** Whether it counts as a running server. */
  get isOccupied(): boolean {
    return this.#starting !== undefined || this.instance !== undefined;
  }

  get isBusy(): boolean {
    return this.#starting !== undefined || (this.instance?.pending ?? 0) > 0;
  }

  get lastUsed(): number {
    return this.#lastUsed ?? 0;
  }

  get otherRoots(): string[] {
    return [...this.#otherRoots];
  }

  serves(root: string): boolean {
    return root === this.root || this.#otherRoots.has(root);
  }

  /** Adds a root; false when the running instance cannot serve several. */
  addRoot(root: string): boolean {
    const instance = this.instance;
    if (!instance || !acceptsFolders(this.plan, instance.capabilities)) return false;
    this.#otherRoots.add(root);
    instance.addFolder(root);
    return true;
  }

  /** The reason of a crash in this generation or later. An earlier crash is reported once. */
  crashSince(generation: number): string | undefined {
    const crash = this.#lastCrash;
    if (!crash || (crash.isReported && crash.generation < generation)) return undefined;
    crash.isReported = true;
    return redact(crash.reason, this.context.roots);
  }

  /** The running instance, started when needed. The signal ends the wait of this caller, not the start. */
  async get(signal: AbortSignal): Promise<Instance> {
    if (signal.aborted) throw cancelled(signal);
    this.#lastUsed = performance.now();
    const { instance } = this;
    if (instance !== undefined && !(this.#lacksProject && this.#retireForProject())) return instance;
    this.#starting ??= this.#beginStart();
    return untilAborted(signal, this.#starting, cancelled);
  }

  /** A server that was started without the files that describe the project reads them late or never. */
  #retireForProject(): boolean {
    if (this.isBusy || lacksProject(this.plan, this.root)) return false;
    this.retire("its project's files were created");
    return true;
  }

  /** Waits until nothing is starting any more, whatever the outcome. */
  async started(signal: AbortSignal): Promise<void> {
    const starting = this.#starting?.catch(() => undefined);
    if (starting) await untilAborted(signal, starting, cancelled);
  }

  #beginStart(): Promise<Instance> {
    const abort = new AbortController();
    this.#startAbort = abort;
    const starting = this.#start(abort.signal).finally(() => {
      this.#starting = undefined;
    });
    // When every caller has stopped waiting, nobody handles a failure.
    starting.catch(() => undefined);
    return starting;
  }

  /** Ends the instance, also while it is starting, and forgets its failures. Resolves when its processes are gone. */
  async stop(): Promise<boolean> {
    this.#crashes.clear();
    this.#lastCrash = undefined;
    this.#isStopped = true;
    if (this.#starting) {
      this.#startAbort?.abort(new Refusal("lsp/exited", `server "${this.plan.id}" was stopped`));
      await this.#starting.catch(() => undefined);
    }
    const instance = this.#instance;
    if (instance) this.#release(instance.end());
    await this.#ending;
    return instance !== undefined;
  }

  status(): ServerStatus {
    const { roots } = this.context;
    const running = this.instance?.status;
    const lastError = running?.lastError ?? this.#lastError;
    return {
      ...blankStatus(this.plan.id, this.#state()),
      ...(this.#starting ? { readiness: "starting" as const } : {}),
      ...running,
      root: this.root,
      otherRoots: sortedSet(this.#otherRoots),
      lastUsedMs: this.#lastUsed === undefined ? null : Math.round(performance.now() - this.#lastUsed),
      restarts: Math.max(0, this.#generation - 1),
      progress: running?.progress == null ? null : redact(running.progress, roots),
      lastError: lastError === null ? null : redact(lastError, roots),
      ...(this.#lacksTrust ? { advisesInstall: false } : {}),
      stderr: (running?.stderr ?? this.#lastStderr).map((line) => redact(line, roots)),
    };
  }

  #state(): ServerState {
    if (this.instance) return "running";
    if (this.#starting) return "starting";
    if (this.#isUnavailable) return "unavailable";
    if (this.#crashes.isExceeded) return "broken";
    if (this.#crashes.backoffMs > 0) return "backoff";
    return this.#isStopped ? "stopped" : "idle";
  }

  async #start(signal: AbortSignal): Promise<Instance> {
    this.#refuseWhenBroken();
    const { backoffMs } = this.#crashes;
    if (backoffMs > 0) await untilAborted(signal, delay(backoffMs, signal), cancelled);
    // Two servers of one root would write the same index files.
    await untilAborted(signal, this.#ending, cancelled);
    this.#isStopped = false;
    this.#isUnavailable = false;
    this.#lacksTrust = false;
    this.#generation++;
    this.#lacksProject = lacksProject(this.plan, this.root);
    let instance: Instance;
    try {
      instance = await this.context.start(this, this.#generation, signal);
    } catch (error) {
      throw signal.aborted ? cancelled(signal) : this.#failedToStart(error);
    }
    this.#instance = instance;
    this.context.log("info", "server started", { server: this.plan.id, generation: this.#generation });
    void instance.ended.then((reason) => this.#crashed(instance, reason));
    this.#lastUsed = performance.now();
    this.#monitor.start(instance);
    return instance;
  }

  #failedToStart(error: unknown): Error {
    if (!(error instanceof Refusal))
      return new Fault("a server's start failed unexpectedly", { cause: error });
    const { code, nextSteps, data } = error;
    if (Array.isArray(data.stderr)) this.#lastStderr = data.stderr.map(String);
    // A refusal of the server's own has its own words; one that ended has only its output.
    const reason = code === "lsp/exited" ? reasonIn(this.#lastStderr, this.context.roots) : undefined;
    const message = reason === undefined ? error.message : `${error.message}: ${reason}`;
    const trust = trustCommandIn(nextSteps);
    this.#lacksTrust = trust !== undefined;
    this.#lastError = trust === undefined ? message : `${message}: run \`${trust}\``;
    this.#isUnavailable = unavailableCodes.has(code);
    // Nothing was started, so the next start is no restart.
    if (this.#isUnavailable) this.#generation--;
    else this.#crashes.add();
    this.context.log("warn", START_FAILED, { server: this.plan.id, error: message });
    const isFailure = code === "lsp/exited" || code === "lsp/timeout";
    return new Refusal(isFailure ? "lsp/start-failed" : code, message, { nextSteps, cause: error });
  }

  /** The process has ended. Unless we ended it, that counts as a crash. */
  #crashed(instance: Instance, reason: string): void {
    this.#lastStderr = instance.stderr;
    if (this.#instance !== instance) return;
    this.#release(instance.transport.kill());
    this.#lastError = `server "${this.plan.id}" ${reason}`;
    this.#lastCrash = { generation: instance.generation, reason, isReported: false };
    this.#crashes.add();
    this.context.log("warn", "server ended", { server: this.plan.id, reason });
  }

  /** The instance does not count any more; `end` resolves when its processes are gone. */
  #release(end: Promise<void>): void {
    this.#instance = undefined;
    this.#monitor.stop();
    this.#ending = Promise.allSettled([this.#ending, end]);
  }

  #refuseWhenBroken(): void {
    if (!this.#crashes.isExceeded) return;
    const seconds = Math.ceil(this.#crashes.exceededMs / 1000);
    const last = redact(this.#lastError ?? "", this.context.roots);
    throw new Refusal(
      "lsp/start-failed",
      `server "${this.plan.id}" ended ${this.#crashes.count} times; it is tried again in ${seconds} s. Last: ${last}`,
    );
  }

  /**
   * Whether its instance may be ended because it is stuck. Clients share it: none may have it ended again and again.
   */
  mayEndStuck(): boolean {
    const now = performance.now();
    if (now - this.#endedStuckAt < STUCK_MS) return false;
    this.#endedStuckAt = now;
    return true;
  }

  /** Shuts down an instance that is not needed now; the next call starts another. */
  retire(why: string): void {
    const instance = this.#instance;
    if (!instance) return;
    this.context.log("info", "server stopped", { server: this.plan.id, why });
    this.#isStopped = true;
    this.#release(instance.end());
  }

  /** Kills an instance that exceeds its limits, perhaps while it starts; that counts as a crash. */
  kill(why: string, instance = this.#instance): void {
    if (!instance) return;
    void instance.kill(why);
    this.#crashed(instance, why);
  }
}
