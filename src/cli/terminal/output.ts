/**
 * The only way to stdout and stderr. Hidden characters of everything that is written are escaped, in a pipe too;
 * colours are added afterwards. So no command can pass on a control sequence of a repository or a server.
 */
import type { Writable } from "node:stream";
import { escapeLine, escapeText } from "../../base/hidden-characters.js";
import { USUAL_WIDTH, wrapText, wrapWords } from "./layout.js";

/** Text in an ANSI style such as `31`. */
export interface Styled {
  readonly style: string;
  readonly text: string;
}

/** Text, some of it in a style. */
export type Printed = string | readonly (string | Styled)[];

export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number };

export class Output {
  /** Whether the terminal's current line is one of `replaceLine`, which the next output erases. */
  #hasLine = false;

  constructor(
    /** The stream itself, for the MCP protocol and for questions. Text for people does not go there. */
    readonly stream: OutputStream,
    private readonly env: { [name: string]: string | undefined },
  ) {}

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  /** The width of the terminal; undefined in a pipe, where nothing is fitted. */
  get columns(): number | undefined {
    return this.isTTY ? this.stream.columns || USUAL_WIDTH : undefined;
  }

  /** Writes text of any number of lines as it is; line ends and tabs are layout. */
  write(text: Printed): void {
    this.#send(renderText(text, this.isTTY && !this.env.NO_COLOR));
  }

  /** Writes text whose lines a terminal shows wrapped between words, indented by `hang` or like their beginning. */
  writeText(text: Printed, hang?: number): void {
    this.write(this.columns === undefined ? text : wrapText(text, this.columns, hang));
  }

  /** Writes one line of text and its line end. A line end inside the text is escaped. */
  writeLine(text: string): void {
    this.writeText(`${escapeLine(text)}\n`);
  }

  /** The height of the terminal. */
  get rows(): number | undefined {
    return this.isTTY ? this.stream.rows : undefined;
  }

  /** Replaces everything that a terminal shows. */
  replaceScreen(text: Printed): void {
    this.#send(`\u001b[H\u001b[2J${renderText(text, !this.env.NO_COLOR)}`);
  }

  /** Replaces the current line of a terminal, cut to its width. Any other output erases it. */
  replaceLine(text: string): void {
    const width = (this.columns ?? USUAL_WIDTH) - 1;
    const whole = escapeLine(text);
    const [line = ""] = wrapWords(whole, width);
    const isCut = line.length < whole.length;
    this.#send(isCut ? `${wrapWords(whole, width - 2)[0]} …` : line);
    this.#hasLine = text !== "";
  }

  #send(text: string): void {
    this.stream.write(this.#hasLine ? `\r\u001b[K${text}` : text);
    this.#hasLine = false;
  }
}

/** The escaped text with its styles, or without them. */
export function renderText(text: Printed, color: boolean): string {
  const pieces = typeof text === "string" ? [text] : text;
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return escapeText(piece);
      const safe = escapeText(piece.text);
      return color ? `\u001b[${piece.style}m${safe}\u001b[0m` : safe;
    })
    .join("");
}
