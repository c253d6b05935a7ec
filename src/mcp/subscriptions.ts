/**
 * The resources that a client subscribes to. When files or diagnostics change, they are read again, and the client is
 * told of those that differ. A burst of changes is one reading; readings that find nothing become rarer.
 */
import { sha256 } from "../base/hash.js";
import { startTimer } from "../base/timing.js";
import type { SessionCalls } from "./calls.js";
import { readResource } from "./prompts-and-resources.js";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.js";

const MAX_SUBSCRIPTIONS = 32;
/** How long nothing must happen before a reading. */
const MIN_PAUSE_MS = 300;
/** The longest pause, also while changes go on, or when they are none again and again. */
const MAX_PAUSE_MS = 5_000;
/** In place of the hash of a resource that cannot be read. */
const UNREADABLE = "unreadable";

export class ResourceSubscriptions {
  /** The hash of each resource as it was read last, by URI; undefined before the first reading. */
  readonly #hashes = new Map<string, string | undefined>();
  #pauseMs = MIN_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  /** When the first change was seen that no reading has followed yet. */
  #firstAt: number | undefined;
  #isReading = false;
  #isDue = false;

  constructor(
    private readonly calls: SessionCalls,
    private readonly notify: (uri: string) => void,
  ) {
    const { runtime, session } = calls;
    const stops = [runtime.onActivity, runtime.onUpdated].map((subscribe) =>
      subscribe(() => this.#changed()),
    );
    const onClosed = (): void => {
      for (const stop of stops) stop();
      this.#hashes.clear();
      clearTimeout(this.#timer);
    };
    session.closed.addEventListener("abort", onClosed, { once: true });
  }

  /** Subscribes to a resource. One that cannot be read is refused. */
  async add(uri: string, signal: AbortSignal): Promise<void> {
    if (!this.#hashes.has(uri) && this.#hashes.size >= MAX_SUBSCRIPTIONS)
      throw new ProtocolError(
        INVALID_PARAMS,
        `A session has at most ${MAX_SUBSCRIPTIONS} subscriptions. Unsubscribe from a resource first.`,
        undefined,
      );
    this.#hashes.set(uri, this.#hashes.get(uri));
    try {
      this.#hashes.set(uri, await this.#hashOf(uri, signal));
    } catch (error) {
      this.#hashes.delete(uri);
      throw error;
    }
  }

  remove(uri: string): void {
    this.#hashes.delete(uri);
  }

  /** Listens to what happens in the workspace, until the session ends. */
  #changed(): void {
    if (this.#hashes.size === 0) return;
    this.#isDue = true;
    if (this.#isReading) return;
    this.#firstAt ??= performance.now();
    const leftMs = this.#firstAt + MAX_PAUSE_MS - performance.now();
    clearTimeout(this.#timer);
    this.#timer = startTimer(() => void this.#read(), Math.min(this.#pauseMs, leftMs));
  }

  async #read(): Promise<void> {
    this.#firstAt = undefined;
    this.#isDue = false;
    this.#isReading = true;
    let isNew = false;
    for (const [uri, before] of [...this.#hashes]) {
      const { closed } = this.calls.session;
      const now = await this.#hashOf(uri, closed).catch(() => UNREADABLE);
      const isCurrent = this.#hashes.has(uri) && this.#hashes.get(uri) === before && !closed.aborted;
      if (!isCurrent || before === undefined || now === before) continue;
      this.#hashes.set(uri, now);
      isNew = true;
      this.notify(uri);
    }
    this.#isReading = false;
    this.#pauseMs = isNew ? MIN_PAUSE_MS : Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
    if (this.#isDue) this.#changed();
  }

  async #hashOf(uri: string, signal: AbortSignal): Promise<string> {
    const { contents } = await readResource(this.calls, uri, { signal });
    return sha256(contents.map(({ text }) => text).join("\n"));
  }
}
