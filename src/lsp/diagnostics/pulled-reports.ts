/**
 * What a server answered when its diagnostics were pulled, by file and provider. The result id goes back with the next
 * question, and `unchanged` means the items that are kept here.
 */
import { isTable, type Json } from "../../base/json.js";
import { pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";

interface Pulled {
  uri: string;
  resultId: string | undefined;
  items: Json[];
}

/** The reports of one server. */
export class PulledReports {
  /** By provider (its identifier, or nothing), then by path. */
  readonly #providers = new Map<string, Map<string, Pulled>>();

  /** The result id of the last report on a file, if the server gave one. */
  resultId(identifier: string | undefined, path: string): string | undefined {
    return this.#of(identifier).get(path)?.resultId;
  }

  /** All result ids of a provider, as a question about the whole workspace carries them. */
  resultIds(identifier: string | undefined): { uri: string; value: string }[] {
    return [...this.#of(identifier).values()].flatMap(({ uri, resultId }) =>
      resultId === undefined ? [] : [{ uri, value: resultId }],
    );
  }

  /** Remembers a report on a file, with those on related files, and gives its items. */
  keep(identifier: string | undefined, uri: string, report: unknown): Json[] {
    if (!isTable(report)) throw new Refusal("lsp/no-answer", "the server gave no report");
    if (isTable(report.relatedDocuments)) {
      for (const [other, its] of Object.entries(report.relatedDocuments))
        if (isTable(its) && this.#isUsable(identifier, other, its)) this.#keepOne(identifier, other, its);
    }
    if (!this.#isUsable(identifier, uri, report))
      throw new Refusal("lsp/no-answer", "the server gave a report without items");
    return this.#keepOne(identifier, uri, report);
  }

  /** Whether a report says anything: items, or that those of an earlier report still hold. */
  #isUsable(identifier: string | undefined, uri: string, report: Record<string, unknown>): boolean {
    if (report.kind !== "unchanged") return Array.isArray(report.items);
    const path = pathOfUri(uri);
    return path !== undefined && this.#of(identifier).has(path);
  }

  /** Forgets everything: the server said that nothing it told before may be called unchanged. */
  clear(): void {
    this.#providers.clear();
  }

  #keepOne(identifier: string | undefined, uri: string, report: Record<string, unknown>): Json[] {
    const path = pathOfUri(uri);
    const known = this.#of(identifier);
    const before = path === undefined ? undefined : known.get(path);
    const full = report.kind !== "unchanged" && Array.isArray(report.items);
    const items = full ? (report.items as Json[]) : (before?.items ?? []);
    const told = typeof report.resultId === "string" ? report.resultId : undefined;
    const resultId = told ?? (full ? undefined : before?.resultId);
    if (path !== undefined) known.set(path, { uri, resultId, items });
    return items;
  }

  #of(identifier: string | undefined): Map<string, Pulled> {
    const key = identifier ?? "";
    const known = this.#providers.get(key) ?? new Map<string, Pulled>();
    this.#providers.set(key, known);
    return known;
  }
}

/** The identifier under which a provider of diagnostics wants to be asked. */
export function identifierOf(provider: unknown): string | undefined {
  return isTable(provider) && typeof provider.identifier === "string" ? provider.identifier : undefined;
}
