/** What a call learns on its way and must tell beside its answer: who answered, how ready, what is missing. */
import type { Code } from "../base/codes.js";
import { canonicalText, type JsonObject } from "../base/json.js";
import { sortBy, sortedSet, uniqueBy } from "../base/order.js";
import type { Warning } from "../base/problem.js";
import type { LanguageServer, OpenDocument, Readiness } from "../lsp/types.js";
import type { Admitted } from "../workspace/types.js";
import type { Target } from "./target.js";

/** Readiness from the least to the most that is known: several servers together are as ready as the worst. */
const ranks: readonly Readiness[] = ["starting", "indexing", "unknown", "ready"];

/** What a call learned that those who share its answer must know as well. */
export interface Learned {
  servers: (readonly [id: string, readiness: Readiness])[];
  warnings: Warning[];
}

/** The evidence of one call, gathered as it goes. */
export class Evidence {
  readonly #servers = new Map<string, Readiness>();
  readonly #warnings: Warning[] = [];
  readonly #dropped = new Set<string>();
  readonly #asked: { server: LanguageServer; document: OpenDocument }[] = [];
  #cut = false;
  #isCommitted = false;
  /** Whether the answer is a page of a listing that is kept for the next one. */
  isPage = false;
  /** A cursor of the listing that was kept, where the answer is its first page. */
  listing: string | undefined;
  document: { admitted: Admitted; hash: string } | undefined;
  /** The call's arguments, once they were checked. */
  input: JsonObject | undefined;
  /** The candidates that a tool within this call asks back with. */
  question: JsonObject[] | undefined;
  /** The symbol of the name that the call gave, as the agent sees it. */
  symbol: JsonObject | undefined;
  /** What the call points at, once that is known. */
  target: Target | undefined;

  /** `outer` is the evidence of the call that this one is a part of. */
  constructor(private readonly outer?: Evidence) {}

  /** Files are being changed: from now on the call is answered with what happened. */
  commit(): void {
    this.#isCommitted = true;
    this.outer?.commit();
  }

  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** A server answered, in this state. */
  heard(server: LanguageServer, readiness: Readiness): void {
    const known = this.#servers.get(server.plan.id) ?? "ready";
    this.#servers.set(server.plan.id, worse(known, readiness));
  }

  /** A server is asked about a document, as it is now. */
  asks(server: LanguageServer, document: OpenDocument): void {
    this.#asked.push({ server, document });
  }

  /** Whether every server still has the text that it was asked about: another call may have brought a newer one. */
  get isSteady(): boolean {
    return this.#asked.every(({ server, document }) => {
      const now = server.opened(document.path);
      return now === undefined || now.edition === document.edition;
    });
  }

  /** What a tool within this call learned is part of this call. */
  absorb({ servers, warnings }: Learned): void {
    for (const [id, readiness] of servers)
      this.#servers.set(id, worse(this.#servers.get(id) ?? "ready", readiness));
    this.#warnings.push(...warnings);
  }

  /** What others must know who are told the same. */
  get learned(): Learned {
    return { servers: [...this.#servers], warnings: [...this.#warnings] };
  }

  warn(code: Code, message: string, data?: JsonObject): void {
    this.#warnings.push(data === undefined ? { code, message } : { code, message, data });
  }

  /** A result lay outside the roots; the same result told twice is one. */
  drop(result: unknown): void {
    this.#dropped.add(canonicalText(result));
  }

  /** Something was shortened. */
  cut(): void {
    this.#cut = true;
  }

  get dropped(): number {
    return this.#dropped.size;
  }

  get isCut(): boolean {
    return this.#cut;
  }

  /** Ids of the servers that answered, joined by commas, or null. */
  get serverId(): string | null {
    return this.#servers.size === 0 ? null : sortedSet(this.#servers.keys()).join(",");
  }

  get readiness(): Readiness {
    return [...this.#servers.values()].reduce<Readiness>(
      worse,
      this.#servers.size === 0 ? "unknown" : "ready",
    );
  }

  /** The warnings, each once, in the order of their codes. */
  get warnings(): Warning[] {
    const unique = uniqueBy(this.#warnings, canonicalText);
    return sortBy(unique, (warning) => [warning.code, canonicalText(warning)]);
  }
}

function worse(a: Readiness, b: Readiness): Readiness {
  return ranks.indexOf(a) <= ranks.indexOf(b) ? a : b;
}
