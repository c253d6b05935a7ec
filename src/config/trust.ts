/**
 * Which workspace configs a person has allowed to start programs: a file and the hash it had when it was read.
 * A store that cannot be understood trusts nothing and says so.
 */
import { join } from "node:path";
import { codes } from "../base/codes.js";
import { canonicalPretty, isTable } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { readOrExplain, type StateFiles } from "./files.js";

export interface Trusted {
  file: string;
  hash: string;
}

/** The record of trusted configs. Every method throws a ConfigError when the record is damaged. */
export class TrustStore {
  readonly file: string;
  readonly #files: StateFiles;

  constructor(stateFolder: string, files: StateFiles) {
    this.file = join(stateFolder, "trusted.json");
    this.#files = files;
  }

  /** Everything trusted, by file. */
  list(): Trusted[] {
    const answer = readOrExplain(this.#files, this.file);
    if ("failure" in answer) {
      if (answer.absent) return [];
      throw this.#damaged(answer.failure);
    }
    const { content } = answer;
    const entries = parse(typeof content === "string" ? content : new TextDecoder().decode(content));
    if (!entries) throw this.#damaged("is damaged");
    return sortBy(entries, (entry) => [entry.file]);
  }

  /** Whether this file is trusted with this very hash. */
  isTrusted(file: string, hash: string): boolean {
    return this.list().some((entry) => entry.file === file && entry.hash === hash);
  }

  /** Trusts a file as it is now, in place of what it was. */
  add(file: string, hash: string): void {
    this.#write([...this.list().filter((entry) => entry.file !== file), { file, hash }]);
  }

  /** Forgets a file; says whether it was known. */
  remove(file: string): boolean {
    const entries = this.list();
    const rest = entries.filter((entry) => entry.file !== file);
    if (rest.length < entries.length) this.#write(rest);
    return rest.length < entries.length;
  }

  #write(entries: Trusted[]): void {
    const trusted = sortBy(entries, (entry) => [entry.file]);
    this.#files.replace(this.file, canonicalPretty({ version: 1, trusted }));
  }

  #damaged(why: string): ConfigError {
    const code = "config/trust-store";
    const problem: Problem = {
      code,
      severity: "error",
      message: `\`${this.file}\` ${why}; nothing is trusted`,
      pointer: "",
      place: { file: this.file, line: 1, column: 1 },
      fix: codes[code].fix,
    };
    return new ConfigError([problem]);
  }
}

function parse(text: string): Trusted[] | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isTable(tree) || tree.version !== 1 || !Array.isArray(tree.trusted)) return undefined;
  return tree.trusted.every(isTrustedEntry) ? tree.trusted : undefined;
}

function isTrustedEntry(entry: unknown): entry is Trusted {
  return isTable(entry) && typeof entry.file === "string" && typeof entry.hash === "string";
}
