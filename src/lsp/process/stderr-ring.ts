/** The last lines that a server wrote beside the protocol, bounded in number and length. */

const MAX_LINES = 50;
const MAX_LINE = 200;

export class StderrRing {
  readonly #lines: string[] = [];
  #open = "";

  /** Takes a piece of output; it may begin and end within a line. */
  write(text: string): void {
    const parts = text.split(/\r?\n/);
    const last = parts.pop() ?? "";
    for (const part of parts.slice(-MAX_LINES)) {
      this.note(this.#open + part);
      this.#open = "";
    }
    this.#open = (this.#open + last).slice(0, MAX_LINE);
  }

  note(line: string): void {
    if (line.trim() === "") return;
    this.#lines.push(line.slice(0, MAX_LINE));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  /** The lines, oldest first. */
  get lines(): string[] {
    return this.#open === "" ? [...this.#lines] : [...this.#lines, this.#open];
  }
}
