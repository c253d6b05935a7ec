/**
 * The config that a runtime serves. All files that were read for it are watched, also those that did not exist. A
 * changed config is used as soon as it is saved; one that has problems or is not trusted changes nothing, and the
 * status says why. When the config in use loses its trust, all calls are refused.
 */
import { canonicalText } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { delay } from "../base/timing.js";
import { plural } from "../base/words.js";
import { trustCommand } from "../lsp/process/trusted.js";
import type { Log } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import type { Io } from "./command.js";
import { changedContext, type Loaded, type OpenOptions, problemList, untrusted } from "./open.js";
import { shippedConfigs } from "./shipped.js";
import { printProblems } from "./terminal/report.js";
import { watchFiles } from "./watch-files.js";

/** Servers are looked for again for at most this part of the time: it takes a walk over the workspace. */
const LOOKING_SHARE = 0.1;
/** A call waits for a look that begins within this time. Most files without a server, such as texts, never get one. */
const MOST_WAITED_MS = 500;

/** Reads and compiles a config. */
export type Load = (options?: OpenOptions) => Promise<Loaded>;

interface ServedOptions {
  io: Io;
  log: Log;
  /** Whether the runtime can switch to a changed config; default: always. */
  takes?: (next: Loaded) => boolean;
  onUsed: (loaded: Loaded) => void | Promise<void>;
}

export class ServedConfig {
  readonly #watched = new Set<string>();
  /** Updates follow each other. */
  #last: Promise<unknown> = Promise.resolve();
  #looking: Promise<void> | undefined;
  #isLooking = false;
  #nextLookAt = 0;

  /** Watches until the runtime is closed. */
  constructor(
    private readonly runtime: Runtime,
    private current: Loaded,
    private load: Load,
    private readonly options: ServedOptions,
  ) {
    this.#watch(current.files);
    runtime.finder.lookAgain = () => this.#lookAgain();
    runtime.finder.laterLook = () => this.#laterLook();
  }

  /** Reads the config again; whether it is used. */
  readonly reload = (): Promise<boolean> =>
    this.#inTurn(() => this.#use(this.load({ servesUntrusted: this.#isRefused, asks: false })));

  /** Switches to the config of another folder; what was loaded, unless it has problems. */
  switchTo(load: Load): Promise<Loaded | undefined> {
    return this.#inTurn(async () => {
      const next = load({ servesUntrusted: true, asks: false });
      if (!(await this.#use(next))) return undefined;
      this.load = load;
      return next;
    });
  }

  /**
   * Reads the config again where the files of the workspace choose the servers: no config file changes with them. Soon
   * after the last time, that is done later, and waited for if the pause is short.
   */
  async #lookAgain(): Promise<void> {
    if (!this.current.isScanned) return;
    const { loaded } = this.runtime;
    // One that has begun may have missed what is new.
    if (this.#isLooking) await this.#looking;
    if (this.runtime.loaded !== loaded) return;
    const pauseMs = this.#pauseMs;
    this.#looking ??= this.#lookAfter(pauseMs);
    if (pauseMs <= MOST_WAITED_MS) await this.#looking;
  }

  /** When the next look is, for a call that may not wait for it. */
  #laterLook(): string | undefined {
    if (!this.current.isScanned) return undefined;
    if (this.#isLooking) return "soon";
    const pauseMs = this.#pauseMs;
    return pauseMs > MOST_WAITED_MS ? `in ${Math.ceil(pauseMs / 1_000)} s` : undefined;
  }

  get #pauseMs(): number {
    return Math.max(0, this.#nextLookAt - performance.now());
  }

  async #lookAfter(pauseMs: number): Promise<void> {
    try {
      await delay(pauseMs, this.runtime.closed);
    } catch {
      return;
    }
    const began = performance.now();
    this.#isLooking = true;
    await this.#changed();
    this.#isLooking = false;
    this.#looking = undefined;
    const ended = performance.now();
    this.#nextLookAt = ended + (ended - began) / LOOKING_SHARE;
  }

  /** Whether the config that was found may not be used any more, not even as it was. */
  get #isRefused(): boolean {
    return this.current.refusal !== undefined || !this.current.isStillTrusted();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #use(loading: Promise<Loaded>): Promise<boolean> {
    const { runtime } = this;
    const { io, log, takes, onUsed } = this.options;
    try {
      const next = await loading;
      this.#watch(next.files);
      if (runtime.closed.aborted || takes?.(next) === false) return false;
      if (identityOf(next) !== identityOf(this.current)) {
        await runtime.update(next.loaded, changedContext(next));
        log("info", "the changed config is used", { source: next.source });
      }
      this.current = next;
      await onUsed(next);
      runtime.reportConfig(undefined);
      return true;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (this.#isRefused) await this.#refuse();
      runtime.reportConfig(summary(error.problems, this.current));
      log("warn", "the changed config is not used", { problems: error.problems.length });
      printProblems(error.problems, { json: false, io });
      return false;
    }
  }

  /** Refuses all calls: the config in use has lost its trust, and no other one can be loaded. */
  async #refuse(): Promise<void> {
    const { current } = this;
    if (current.refusal !== undefined || current.found === undefined) return;
    this.current = { ...current, refusal: untrusted(current.found) };
    await this.runtime.update(current.loaded, changedContext(this.current));
  }

  /** Watches further files that were read for the config, except the shipped ones. */
  #watch(files: readonly string[]): void {
    const further = files.filter((file) => !(this.#watched.has(file) || isInside(file, shippedConfigs)));
    if (further.length === 0 || this.runtime.closed.aborted) return;
    for (const file of further) this.#watched.add(file);
    const unwatch = watchFiles(further, () => void this.#changed());
    this.runtime.closed.addEventListener("abort", unwatch, { once: true });
  }

  async #changed(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      this.options.log("error", "the changed config cannot be read", { cause: String(error) });
    }
  }
}

/**
 * Equal where nothing has to be done: the same bundle with the same trust,
 * made from the same files, which no edit may touch.
 */
function identityOf({ loaded, base, files, trusted, binFolders, avoid, refusal }: Loaded): string {
  const { bundle } = loaded.manifest;
  return canonicalText([
    bundle,
    base,
    sortedSet(files),
    trusted,
    binFolders,
    avoid,
    refusal?.message ?? null,
  ]);
}

/** The problems for the status, and what the user can run. */
function summary(problems: readonly Problem[], { found, base, validateCommand }: Loaded): string {
  const errors = problems.filter(({ severity }) => severity === "error");
  const list = problemList(errors, found !== undefined, base);
  const needsOnlyTrust = errors.every(({ code }) => code === "config/untrusted");
  const command = needsOnlyTrust && found !== undefined ? trustCommand(found) : validateCommand;
  const next = command === undefined ? "" : ` The user can run \`${command}\`.`;
  return `The changed config is not used, it has ${plural(errors.length, "problem")}: ${list}.${next}`;
}
