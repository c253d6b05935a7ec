/** What a call learns on its way and must tell beside its answer: who answered, how ready, what is missing. */
import type { Code } from "../../base/codes.js";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { sortBy, sortedSet, uniqueBy } from "../../base/order.js";
import type { Warning } from "../../base/problem.js";
import type { LanguageServer, OpenDocument, Readiness } from "../../lsp/types.js";
import type { Admitted } from "../../workspace/types.js";
import type { Target } from "../point/target.js";

/** Readiness from the least to the most that is known: several servers together are as ready as the worst. */
const ranks: readonly Readiness[] = ["starting", "indexing", "unknown", "ready"];

/** What a call learned that those who share its answer must know as well. */
export interface Learned {
  servers: (readonly [id: string, readiness: Readiness])[];
  /** Servers that were to answer and have not. */
  awaited: (readonly [id: string, server: AwaitedServer])[];
  warnings: Warning[];
}

/** A server that is to answer, or that has yet to start. */
type AwaitedServer = LanguageServer | "starting";

/** How far servers were that were not ready. */
export interface Unready {
  readiness: Extract<Readiness, "starting" | "indexing">;
  /** The ids of those that were no further than that. */
  servers: string[];
}

/** The document that a call is about, and the text that it had. */
export interface DocumentEvidence {
  admitted: Admitted;
  hash: string;
}

/** The evidence of one call, gathered as it goes. */
export class Evidence {
  readonly #servers = new Map<string, Readiness>();
  /** Servers that are to answer and have not. */
  readonly #awaited = new Map<string, AwaitedServer>();
  readonly #warnings: Warning[] = [];
  readonly #dropped = new Set<string>();
  #droppedRows = 0;
  readonly #asked: { server: LanguageServer; document: OpenDocument }[] = [];
  #cut = false;
  #isCommitted = false;
  document: DocumentEvidence | undefined;
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

  /** A server must start before it can be asked. That stands until it is up or has failed, whoever stops waiting first. */
  awaitsStart(id: string): void {
    this.#awaited.set(id, "starting");
  }

  /** A server is up, and is to answer. */
  awaits(server: LanguageServer): void {
    this.#awaited.set(server.plan.id, server);
  }

  /** A server did not start, or is not needed any more: no answer of it is to come. */
  awaitsNoMore(id: string): void {
    this.#awaited.delete(id);
  }

  /** A server answered, in this state. */
  heard(server: LanguageServer, readiness: Readiness): void {
    this.#heard(server.plan.id, readiness);
  }

  #heard(id: string, readiness: Readiness): void {
    this.#awaited.delete(id);
    this.#servers.set(id, worse(this.#servers.get(id) ?? "ready", readiness));
  }

  /** A server is asked about a document, as it is now. */
  asks(server: LanguageServer, document: OpenDocument): void {
    this.#asked.push({ server, document });
  }

  /** Whether every server still has the text that it was asked about: another call may have brought a newer one. */
  get isSteady(): boolean {
    return this.#asked.every(({ server, document }) => {
      const now = server.opened(document.path);
      // Each start of a server counts for itself.
      return now === undefined || (now.edition === document.edition && now.hash === document.hash);
    });
  }

  /** What a tool within this call learned is part of this call. */
  absorb({ servers, awaited, warnings }: Learned): void {
    for (const [id, server] of awaited) this.#awaited.set(id, server);
    for (const [id, readiness] of servers) this.#heard(id, readiness);
    this.#warnings.push(...warnings);
  }

  /** What others must know who are told the same. */
  get learned(): Learned {
    return { servers: [...this.#servers], awaited: [...this.#awaited], warnings: [...this.#warnings] };
  }

  warn(code: Code, message: string, data?: JsonObject): void {
    this.#warnings.push(data === undefined ? { code, message } : { code, message, data });
  }

  /** A result lay outside the roots; the same result told twice is one. */
  drop(result: unknown): void {
    this.#dropped.add(canonicalText(result));
  }

  /** Results lay outside the roots, so many of them once duplicates were left out. */
  dropMany(count: number): void {
    this.#droppedRows += count;
  }

  /** Something was shortened. */
  cut(): void {
    this.#cut = true;
  }

  get dropped(): number {
    return this.#dropped.size + this.#droppedRows;
  }

  get isCut(): boolean {
    return this.#cut;
  }

  /** Ids of the servers that answered, joined by commas, or null. */
  get serverId(): string | null {
    const [only = null] = this.#servers.keys();
    return this.#servers.size < 2 ? only : sortedSet(this.#servers.keys()).join(",");
  }

  /** Of an answer: as ready as the worst server that gave it, or that has yet to start and is missing in it. */
  get readiness(): Readiness {
    for (const server of this.#awaited.values()) if (server === "starting") return "starting";
    if (this.#servers.size === 0) return "unknown";
    let readiness: Readiness = "ready";
    for (const own of this.#servers.values()) readiness = worse(readiness, own);
    return readiness;
  }

  /** Of a call that came to nothing: what its servers are at, those that are waited for included. */
  get unready(): Unready | undefined {
    const awaited = [...this.#awaited].map(
      ([id, server]) => [id, server === "starting" ? server : server.readiness] as const,
    );
    for (const readiness of ["starting", "indexing"] as const) {
      const servers = [...this.#servers, ...awaited].filter(([, own]) => own === readiness);
      if (servers.length > 0) return { readiness, servers: sortedSet(servers.map(([id]) => id)) };
    }
    return undefined;
  }

  /** The warnings, each once, in the order of their codes. */
  get warnings(): Warning[] {
    if (this.#warnings.length < 2) return [...this.#warnings];
    const unique = uniqueBy(this.#warnings, canonicalText);
    return sortBy(unique, (warning) => [warning.code, canonicalText(warning)]);
  }
}

function worse(a: Readiness, b: Readiness): Readiness {
  return ranks.indexOf(a) <= ranks.indexOf(b) ? a : b;
}
