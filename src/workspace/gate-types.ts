/** Types of the gate: it checks every path that a call or a server names, and admits only paths inside the roots. */
import type { Refusal } from "../base/problem.js";

/** A path that was admitted: its real path lies inside a root. */
export interface Admitted {
  /** Absolute real path. */
  readonly path: string;
  readonly uri: string;
  /** Path relative to the first root with `/`; absolute for extra roots. */
  readonly shown: string;
  readonly writable: boolean;
  /** Whether it belongs to a dependency or a standard library; such a file is shown by its absolute path. */
  readonly isLibrary?: true;
}

export interface Gate {
  /** Absolute real paths of the roots. */
  readonly roots: string[];
  /** Admits a path or `file:` URI that a call named; throws a Refusal. */
  admit(name: string): Promise<Admitted>;
  /** The same for a file that must exist. */
  admitFile(name: string): Promise<Admitted>;
  /** Admits the entry itself: its folder by real path, while a symbolic link at its end is not followed. */
  admitEntry(name: string): Promise<Admitted>;
  /** Checks a real path without access to the disk; returns the refusal instead of throwing it. */
  check(path: string): Admitted | Refusal;
  /** How a server's URI is shown; undefined when it lies outside and must be dropped. `resolve` finds real paths. */
  show(uri: string, resolve?: (path: string) => string): Admitted | undefined;
}
