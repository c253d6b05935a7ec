/** What the rest of the program sees of the gate between paths of a call and files. */
import type { Refusal } from "../base/problem.js";

/** A path that was admitted: it lies, by its real path, inside a root. */
export interface Admitted {
  /** Absolute real path. */
  readonly path: string;
  readonly uri: string;
  /** Path relative to its root with `/`; absolute for extra roots. */
  readonly shown: string;
  readonly writable: boolean;
}

/** Where a name leads. */
export interface Followed {
  readonly admitted: Admitted;
  /** The absolute path that the name means, before its links are followed. */
  readonly named: string;
}

export interface Gate {
  /** Absolute real paths of the roots. */
  readonly roots: string[];
  /** Admits a path or `file:` URI that a call named; throws a Refusal. */
  admit(name: string): Promise<Admitted>;
  /** The same of a file that is there; the refusal may be thrown at once. */
  admitFile(name: string): Followed | Promise<Followed>;
  /** Where a name led when it was admitted as a file last, without a look at the disk: it may lead elsewhere by now. */
  recall(name: string): Followed | undefined;
  /** Admits a name itself: its folder by real path, while a symbolic link at its end is not followed. */
  admitEntry(name: string): Promise<Admitted>;
  /** Judges a real path without looking at the disk. */
  place(path: string): Admitted | Refusal;
  /** How a URI from a server is shown, or undefined when it lies outside and must be dropped; `follow` finds real paths. */
  show(uri: string, follow?: (path: string) => string): Admitted | undefined;
}
