/** A value that is there already, or will be. Whoever has many of them waits only for those that are not. */
export type Soon<T> = T | Promise<T>;
