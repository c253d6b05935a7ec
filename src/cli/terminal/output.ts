/**
 * The only way to stdout and stderr. Hidden characters of everything that is written are escaped, in a pipe too; colours
 * are added afterwards. So no command can pass on a control sequence of a repository or a server.
 */
import type { Writable } from "node:stream";
import { escapeLine, escapeText } from "../../base/hidden-characters.js";

/** Text in an ANSI style such as `31`. */
export interface Styled {
  readonly style: string;
  readonly text: string;
}

/** Text, some of it in a style. */
export type Printed = string | readonly (string | Styled)[];

export type OutputStream = Writable & { isTTY?: boolean };

export class Output {
  constructor(
    /** The stream itself, for the MCP protocol and for questions. Text for people does not go there. */
    readonly stream: OutputStream,
    private readonly env: { [name: string]: string | undefined },
  ) {}

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  /** Writes text of any number of lines; line ends and tabs are layout. */
  write(text: Printed): void {
    this.stream.write(renderText(text, this.isTTY && !this.env.NO_COLOR));
  }

  /** Writes one line and its line end. A line end inside the text is escaped. */
  writeLine(text: string): void {
    this.stream.write(`${escapeLine(text)}\n`);
  }

  /** Replaces the current line of a terminal. */
  replaceLine(text: string): void {
    this.stream.write(`\r\u001b[K${escapeLine(text)}`);
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
