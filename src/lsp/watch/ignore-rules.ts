/** The `.gitignore` files that hold for a folder, the outermost first; an inner one may take back an outer one. */
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { slashed } from "../../base/paths.js";

interface Level {
  base: string;
  text: string;
  rules: Ignore;
}

export class IgnoreRules {
  readonly #outer: readonly Level[];
  #own: Level | undefined;

  constructor(outer: readonly Level[]) {
    this.#outer = outer;
  }

  /** Rules for a folder inside this one. */
  inner(): IgnoreRules {
    return new IgnoreRules(this.#own ? [...this.#outer, this.#own] : this.#outer);
  }

  /** Reads the folder's own file; says whether the rules are others than before. */
  async read(folder: string, exists: boolean): Promise<boolean> {
    const text = exists
      ? await readFile(join(folder, ".gitignore"), "utf8").catch(() => undefined)
      : undefined;
    if (text === this.#own?.text) return false;
    this.#own = text === undefined ? undefined : { base: folder, text, rules: ignore().add(text) };
    return true;
  }

  ignores(path: string, isFolder: boolean): boolean {
    let ignored = false;
    for (const { base, rules } of this.#own ? [...this.#outer, this.#own] : this.#outer) {
      const verdict = rules.test(slashed(relative(base, path)) + (isFolder ? "/" : ""));
      if (verdict.ignored) ignored = true;
      else if (verdict.unignored) ignored = false;
    }
    return ignored;
  }
}
