/** A value that is there already, or will be. Whoever has many of them waits only for those that are not. */
export type Soon<T> = T | Promise<T>;

/** What follows from a value, as soon as that is there: at once, where it is. */
export function whenThere<T, U>(soon: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return soon instanceof Promise ? soon.then(next) : next(soon);
}

/** Does something with each, one after the other, and waits only where it takes time. */
export function oneByOne<T>(items: Iterator<T>, step: (item: T) => Soon<unknown>): Soon<void> {
  for (let next = items.next(); !next.done; next = items.next()) {
    const done = step(next.value);
    if (done instanceof Promise) return done.then(() => oneByOne(items, step));
  }
}
