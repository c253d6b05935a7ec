/** The last stderr lines of a server, with notes of our own, bounded in number and length. */
import { Refusal } from "../../base/problem.js";

const MAX_LINES = 50;
const MAX_LINE = 200;

export class StderrTail {
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

/** A refusal of a start with the last lines that the server wrote; any other error as it is. */
export function withStderr(error: unknown, stderr: string[]): unknown {
  if (!(error instanceof Refusal)) return error;
  const { code, message, nextSteps } = error;
  return new Refusal(code, message, { nextSteps, data: { stderr }, cause: error });
}
