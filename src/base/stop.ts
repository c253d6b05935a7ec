/**
 * What ends work early. `AbortSignal` is one, and does: but each is an event target with all that belongs to one, some
 * twenty microseconds to make, and a call needs four of them. A `Stop` is an object with a list.
 */

/** The part of `AbortSignal` that work needs to hear of its end. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A signal and the hand that gives it, once; each listener hears of it once. */
export class Stop implements StopSignal {
  #listeners: (() => void)[] | undefined;
  #aborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    // One that an earlier one took away hears of nothing.
    for (let next = this.#listeners?.shift(); next !== undefined; next = this.#listeners?.shift()) next();
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#aborted) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at >= 0) this.#listeners?.splice(at, 1);
  }
}
