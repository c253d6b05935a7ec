/** The last lines that a server wrote beside the protocol; bounded whatever it writes. */

const MAX_LINES = 50;
const MAX_LINE = 200;

export class StderrRing {
  readonly #lines: string[] = [];
  #open = "";

  /** Takes the next piece of output; lines may be cut anywhere. */
  write(text: string): void {
    const parts = text.split(/\r?\n/);
    const last = parts.pop() ?? "";
    for (const part of parts.slice(-MAX_LINES)) {
      this.#push(this.#open + part);
      this.#open = "";
    }
    this.#open = (this.#open + last).slice(0, MAX_LINE);
  }

  /** Adds a whole line of our own. */
  note(line: string): void {
    this.#push(line);
  }

  /** The lines kept, oldest first. */
  get lines(): string[] {
    return this.#open === "" ? [...this.#lines] : [...this.#lines, this.#open];
  }

  #push(line: string): void {
    if (line.trim() === "") return;
    this.#lines.push(line.slice(0, MAX_LINE));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}
