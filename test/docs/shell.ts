/** Splits shell text into its simple commands, as far as documentation uses the shell. */

export interface ShellCommand {
  /** The line in the text on which it begins, from 1. */
  line: number;
  words: string[];
}

/** All commands of a text, those in `$(…)` and backticks too. Comments, redirections and here-documents are left out. */
export function shellCommands(text: string): ShellCommand[] {
  return new Reader(text).commands();
}

class Reader {
  #at = 0;
  readonly #found: ShellCommand[] = [];

  constructor(
    readonly text: string,
    readonly firstLine = 1,
  ) {}

  commands(): ShellCommand[] {
    let words: string[] = [];
    let line = this.#line();
    const hereEnds: string[] = [];
    const end = () => {
      if (words.length > 0) this.#found.push({ line, words });
      words = [];
    };
    while (this.#at < this.text.length) {
      const rest = this.text.slice(this.#at);
      const [blank] = /^(?:[ \t]|\\\n)+/.exec(rest) ?? [""];
      const [comment] = /^#.*/.exec(rest) ?? [""];
      const [separator] = /^(?:\n|&&|\|\||[;&|()])/.exec(rest) ?? [""];
      const [here = "", ending = ""] = /^<<-?\s*['"]?(\w+)['"]?/.exec(rest) ?? [];
      const [redirection] = /^\d*(?:>>?|<)(?:&\d|&-)?\s*/.exec(rest) ?? [""];
      this.#at += (blank || comment || separator || here || redirection).length;
      if (here !== "") hereEnds.push(ending);
      else if (separator !== "") {
        end();
        if (separator === "\n") for (const name of hereEnds.splice(0)) this.#skipHere(name);
        line = this.#line();
      } else if (redirection !== "") {
        if (!/&[\d-]/.test(redirection)) this.#word();
      } else if (blank === "" && comment === "") {
        if (words.length === 0) line = this.#line();
        words.push(this.#word());
      }
    }
    end();
    return this.#found;
  }

  #line(): number {
    return this.firstLine + this.text.slice(0, this.#at).split("\n").length - 1;
  }

  #skipHere(name: string): void {
    const end = new RegExp(`^\\t*${name}$`, "m").exec(this.text.slice(this.#at));
    this.#at = end === null ? this.text.length : this.#at + end.index + end[0].length;
  }

  /** One word without its quotes. */
  #word(): string {
    let word = "";
    let isQuoted = false;
    for (; this.#at < this.text.length; this.#at++) {
      const sign = this.text[this.#at] ?? "";
      if (!isQuoted && /[\s;&|()<>]/.test(sign)) break;
      if (sign === '"') isQuoted = !isQuoted;
      else if (sign === "'" && !isQuoted) {
        const end = this.text.indexOf("'", this.#at + 1);
        if (end < 0) throw new Error(`line ${this.#line()}: a quotation has no end`);
        word += this.text.slice(this.#at + 1, end);
        this.#at = end;
      } else if (sign === "\\") {
        this.#at++;
        const next = this.text[this.#at] ?? "";
        if (next !== "\n") word += isQuoted && !/["$`\\]/.test(next) ? `\\${next}` : next;
      } else if (sign === "$" && this.text[this.#at + 1] === "(") {
        word += this.#within(this.#at + 2, this.#closing(this.#at + 2));
      } else if (sign === "`") {
        word += this.#within(this.#at + 1, this.text.indexOf("`", this.#at + 1));
      } else word += sign;
    }
    if (isQuoted) throw new Error(`line ${this.#line()}: a quotation has no end`);
    return word;
  }

  /** Reads the commands of a substitution, which is `…` in the word. */
  #within(start: number, end: number): string {
    if (end < 0) throw new Error(`line ${this.#line()}: a substitution has no end`);
    this.#found.push(...new Reader(this.text.slice(start, end), this.#line()).commands());
    this.#at = end;
    return "…";
  }

  #closing(start: number): number {
    let depth = 1;
    for (let at = start; at < this.text.length; at++) {
      if (this.text[at] === "(") depth++;
      else if (this.text[at] === ")" && --depth === 0) return at;
    }
    return -1;
  }
}
