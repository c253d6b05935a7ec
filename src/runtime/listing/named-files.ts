/** The files that the rows of a reply name: each is judged once, and shown in one order. */
import { sortBy } from "../../base/order.js";
import type { LanguageServer } from "../../lsp/types.js";
import { documentKey } from "../../protocol/spelling.js";
import type { Admitted } from "../../workspace/types.js";
import type { Places } from "../answer/convert.js";
import type { CallState } from "../call-state.js";
import type { Row, RowKind } from "./row.js";

/** How rows are collected. */
export interface Collecting {
  /** Whether a file that may be seen belongs here; what stands elsewhere is dropped. */
  isHere?(admitted: Admitted): boolean;
  /** What is counted as dropped: rows, or files. */
  dropped: "rows" | "files";
}

/** A file that rows name. */
export interface Named {
  admitted: Admitted | undefined;
  length: number;
  /** The server that named it first, and whether its text is needed to know which rows are the same. */
  server: LanguageServer;
  isMixed: boolean;
}

/** The files that rows name, each judged once. */
export class NamedFiles<T> {
  readonly named: Named[] = [];
  readonly #byUri = new Map<string, number>();
  readonly #byPath = new Map<string, number>();

  constructor(
    private readonly places: Places,
    private readonly kind: RowKind<T>,
    private readonly isHere: Collecting["isHere"],
  ) {}

  /** The number of a row's file, in which it is counted. */
  of({ uri, server }: Row<T>): number {
    const number = this.#byUri.get(uri) ?? this.#judge(uri, server);
    const file = this.named[number];
    if (file === undefined) return number;
    file.length++;
    file.isMixed ||=
      server !== file.server && (this.kind.range !== undefined || server.encoding !== file.server.encoding);
    return number;
  }

  #judge(uri: string, server: LanguageServer): number {
    const shown = this.places.show(uri);
    const admitted = shown !== undefined && (this.isHere?.(shown) ?? true) ? shown : undefined;
    const known = admitted && this.#byPath.get(admitted.path);
    const number = known ?? this.named.push({ admitted, length: 0, server, isMixed: false }) - 1;
    this.#byUri.set(uri, number);
    if (admitted !== undefined) this.#byPath.set(admitted.path, number);
    return number;
  }
}

/** The order in which files are shown; what is not shown is last. */
export function fileOrder({ plan }: CallState, named: readonly Named[]): number[] {
  if (named.length === 1) return [0];
  const key = documentKey(plan.dialect) === "uri" ? "uri" : "shown";
  return sortBy([...named.keys()], (file) => [named[file]?.admitted?.[key]]);
}
