/** What the rest of the program sees of the gate between paths of a call and files. */

/** A path that was admitted: it lies, by its real path, inside a root. */
export interface Admitted {
  /** Absolute real path. */
  path: string;
  uri: string;
  /** Path relative to its root with `/`; absolute for extra roots. */
  shown: string;
  writable: boolean;
}

export interface Gate {
  /** Absolute real paths of the roots. */
  readonly roots: string[];
  /** Admits a path or `file:` URI that a call named; throws a Refusal. */
  admit(name: string): Promise<Admitted>;
  /** How a URI from a server is shown, or undefined when it lies outside and must be dropped. */
  show(uri: string): Promise<Admitted | undefined>;
}
