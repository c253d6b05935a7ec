/** The evidence of a call: which servers answered, how ready they were, what is missing. */
import type { Code } from "../../base/codes.js";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { sortBy, sortedSet, uniqueBy } from "../../base/order.js";
import type { Warning } from "../../base/problem.js";
import type { LanguageServer, OpenDocument, Readiness } from "../../lsp/types.js";
import type { Admitted } from "../../workspace/gate-types.js";
import type { Target } from "../point/target.js";

/** From the least ready to the most: several servers together are as ready as the worst. */
const ranks: readonly Readiness[] = ["starting", "indexing", "unknown", "ready"];

/** The evidence of an inner call that its outer call takes over. */
interface Learned {
  servers: (readonly [id: string, readiness: Readiness])[];
  awaited: (readonly [id: string, server: AwaitedServer])[];
  warnings: Warning[];
}

/** A server that has not answered, or has not started yet. */
type AwaitedServer = LanguageServer | "starting";

export interface Unready {
  readiness: Extract<Readiness, "starting" | "indexing">;
  /** The ids of the servers in that state. */
  servers: string[];
}

export class Evidence {
  readonly #servers = new Map<string, Readiness>();
  readonly #awaited = new Map<string, AwaitedServer>();
  readonly #warnings: Warning[] = [];
  readonly #projectless = new Set<string>();
  readonly #dropped = new Set<string>();
  #droppedItems = 0;
  readonly #asked: { server: LanguageServer; document: OpenDocument }[] = [];
  isCut = false;
  /** Whether files are being changed: from then on the call must report what happened. */
  isCommitted = false;
  /** The undo tokens of the applied edits, in their order. */
  readonly undoTokens: string[] = [];
  /** The document that the call is about, and the hash of its text. */
  document: { admitted: Admitted; hash: string } | undefined;
  /** The call's arguments, once they are checked. */
  input: JsonObject | undefined;
  /** The candidates of an inner call that needs to know which symbol is meant. */
  candidates: JsonObject[] | undefined;
  /** The symbol that the call named, as the agent sees it. */
  symbol: JsonObject | undefined;
  /** The target of the call, once it is resolved. */
  target: Target | undefined;

  /** `outer` is the evidence of the call that this one is a part of. */
  constructor(private readonly outer?: Evidence) {}

  commit(): void {
    this.isCommitted = true;
    this.outer?.commit();
  }

  /** An edit was applied that this token undoes. */
  edited(undoToken: string): void {
    this.undoTokens.push(undoToken);
    this.outer?.edited(undoToken);
  }

  /** A server must start first. This holds until it is up or has failed, even when the call stops waiting. */
  awaitsStart(id: string): void {
    this.#awaited.set(id, "starting");
  }

  /** A server is up and has yet to answer. */
  awaits(server: LanguageServer): void {
    this.#awaited.set(server.plan.id, server);
  }

  /** A server did not start or is not needed any more. */
  awaitsNoMore(id: string): void {
    this.#awaited.delete(id);
  }

  /** A server answered, in this state. */
  answered(id: string, readiness: Readiness): void {
    this.#awaited.delete(id);
    const own = this.#projectless.has(id) ? lessReady(readiness, "unknown") : readiness;
    this.#servers.set(id, lessReady(this.#servers.get(id) ?? "ready", own));
  }

  /** No file of a project is open in a server: whatever it says, it is not ready for the workspace. */
  knowsNoProject(id: string): void {
    if (this.#projectless.has(id)) return;
    this.#projectless.add(id);
    const message = `The server ${id} found no project here (such as a tsconfig.json that includes its files), so it knows only files that are open; symbols of others may be missing.`;
    this.warn("answer/no-project", message, { server_id: id });
  }

  /** A server does not search so many files, because no project includes them. */
  leavesOutFiles(id: string, count: number): void {
    const files = count === 1 ? "1 file that belongs" : `${count} files that belong`;
    const message = `The server ${id} did not search ${files} to no project it knows (such as a tsconfig.json that includes them); places there are missing.`;
    this.warn("answer/files-not-searched", message, { server_id: id });
  }

  /** A server is asked about a document in its current state. */
  asks(server: LanguageServer, document: OpenDocument): void {
    this.#asked.push({ server, document });
  }

  /** Whether every server still has the text that it was asked about: another call may have sent a newer one. */
  get documentsUnchanged(): boolean {
    return this.#asked.every(({ server, document }) => {
      const now = server.opened(document.path);
      // A document that is not open any more has no newer text.
      return now === undefined || (now.edition === document.edition && now.hash === document.hash);
    });
  }

  absorb({ servers, awaited, warnings }: Learned): void {
    for (const [id, server] of awaited) this.#awaited.set(id, server);
    for (const [id, readiness] of servers) this.answered(id, readiness);
    for (const warning of warnings) this.#warnings.push(warning);
  }

  /** The evidence that an outer call takes over. */
  get learned(): Learned {
    return { servers: [...this.#servers], awaited: [...this.#awaited], warnings: [...this.#warnings] };
  }

  warn(code: Code, message: string, data?: JsonObject): void {
    this.#warnings.push(data === undefined ? { code, message } : { code, message, data });
  }

  /** Something is left out of the answer. */
  truncated(message: string, data?: JsonObject): void {
    this.isCut = true;
    this.warn("answer/truncated", message, data);
  }

  /** A result is outside the roots; duplicates count once. */
  drop(result: unknown): void {
    this.#dropped.add(canonicalText(result));
  }

  /** So many results, without duplicates, are outside the roots. */
  dropMany(count: number): void {
    this.#droppedItems += count;
  }

  get dropped(): number {
    return this.#dropped.size + this.#droppedItems;
  }

  /** Ids of the servers that answered, joined by commas, or null. */
  get serverId(): string | null {
    const [only = null] = this.#servers.keys();
    return this.#servers.size < 2 ? only : sortedSet(this.#servers.keys()).join(",");
  }

  /** The readiness of an answer: the worst of the servers that answered or are still starting. */
  get readiness(): Readiness {
    for (const server of this.#awaited.values()) {
      if (server === "starting") return "starting";
    }
    if (this.#servers.size === 0) return "unknown";
    let readiness: Readiness = "ready";
    for (const own of this.#servers.values()) readiness = lessReady(readiness, own);
    return readiness;
  }

  /** For a call that failed: servers that were not ready, including those that have not answered. */
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

  /** The warnings without duplicates, ordered by code. */
  get warnings(): Warning[] {
    const unique = uniqueBy(this.#warnings, canonicalText);
    return sortBy(unique, (warning) => [warning.code, canonicalText(warning)]);
  }
}

function lessReady(a: Readiness, b: Readiness): Readiness {
  return ranks.indexOf(a) <= ranks.indexOf(b) ? a : b;
}
