/**
 * The resources that a client subscribes to. When files or diagnostics change, they are read again, and the client is
 * notified of those that differ. A burst of changes is one reading; readings that find nothing become rarer.
 */
import { sha256 } from "../base/hash.js";
import { startTimer } from "../base/timing.js";
import type { SessionCalls } from "./calls.js";
import { readResource } from "./prompts-and-resources.js";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.js";
import { listenToRuntime } from "./runtime-listener.js";

const MAX_SUBSCRIPTIONS = 32;
/** How long nothing must happen before a reading. */
const MIN_PAUSE_MS = 300;
/** The longest pause, also while changes go on, or when they are none again and again. */
const MAX_PAUSE_MS = 5_000;
/** In place of the hash of a resource that cannot be read. */
const UNREADABLE = "unreadable";

interface Subscription {
  /** The hash of the resource as it was read last; undefined before the first reading. */
  hash: string | undefined;
  /** Requests of the client that wait for the first reading. */
  waiting: number;
}

export class ResourceSubscriptions {
  /** By URI. */
  readonly #subscribed = new Map<string, Subscription>();
  #pauseMs = MIN_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  /** When the first change was seen that no reading has followed yet. */
  #firstAt: number | undefined;
  #isReading = false;
  #isDue = false;
  /** Counts the changes seen. */
  #changes = 0;

  /** Listens to what happens in the workspace, until the session ends. */
  constructor(
    private readonly calls: SessionCalls,
    private readonly notify: (uri: string) => void,
  ) {
    listenToRuntime(calls, ["onActivity", "onUpdated"], () => this.#changed());
  }

  /** Subscribes to a resource. One that cannot be read is refused. */
  async add(uri: string, signal: AbortSignal): Promise<void> {
    const known = this.#subscribed.get(uri);
    if (known === undefined && this.#subscribed.size >= MAX_SUBSCRIPTIONS)
      throw new ProtocolError(
        INVALID_PARAMS,
        `A session has at most ${MAX_SUBSCRIPTIONS} subscriptions. Unsubscribe from a resource first.`,
        undefined,
      );
    const subscription = known ?? { hash: undefined, waiting: 0 };
    this.#subscribed.set(uri, subscription);
    const before = this.#changes;
    subscription.waiting++;
    try {
      // A subscription that was removed meanwhile stays removed.
      if (subscription.hash === undefined) {
        const hash = await this.#hashOf(uri, signal);
        subscription.hash ??= hash;
      }
      if (this.#changes !== before) this.#changed();
    } finally {
      subscription.waiting--;
      const isUnread = subscription.hash === undefined && subscription.waiting === 0;
      if (isUnread && this.#subscribed.get(uri) === subscription) this.#subscribed.delete(uri);
    }
  }

  remove(uri: string): void {
    this.#subscribed.delete(uri);
  }

  #changed(): void {
    this.#changes++;
    if (this.#subscribed.size === 0) return;
    this.#isDue = true;
    if (this.#isReading) return;
    this.#firstAt ??= performance.now();
    const leftMs = this.#firstAt + MAX_PAUSE_MS - performance.now();
    clearTimeout(this.#timer);
    this.#timer = startTimer(() => void this.#read(), Math.min(this.#pauseMs, leftMs)).unref();
  }

  async #read(): Promise<void> {
    this.#firstAt = undefined;
    this.#isDue = false;
    this.#isReading = true;
    let isNew = false;
    for (const [uri, subscription] of [...this.#subscribed]) {
      const { closed } = this.calls.session;
      const { hash: before } = subscription;
      // The first reading is not done yet. It looks for changes itself.
      if (before === undefined || closed.aborted) continue;
      const now = await this.#hashOf(uri, closed).catch(() => UNREADABLE);
      const isCurrent = this.#subscribed.get(uri) === subscription && !closed.aborted;
      if (!isCurrent || now === before) continue;
      subscription.hash = now;
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
