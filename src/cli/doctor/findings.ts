/** The findings of `doctor`: what was checked, the result, and what to do about it. */
import type { Io } from "../command.js";
import { escaped } from "../terminal/text.js";

export interface Finding {
  area: string;
  state: "ok" | "note" | "warning" | "problem";
  text: string;
  /** What to do. Every warning and problem has one. */
  fix?: string;
}

export type Report = (finding: Finding) => void;

const marks = { ok: "✓", note: "·", warning: "!", problem: "✗" } as const;
const colors = { ok: "32", note: "2", warning: "33", problem: "31" } as const;

/** A finding in one line, with its fix below it. */
export function findingLines({ area, state, text, fix }: Finding, io: Io): string {
  const color = io.stdout.isTTY === true && !io.env.NO_COLOR;
  const mark = color ? `\u001b[${colors[state]}m${marks[state]}\u001b[0m` : marks[state];
  const below = fix === undefined ? "" : `${" ".repeat(13)}→ ${fix}\n`;
  return `${mark} ${area.padEnd(10)} ${escaped(text)}\n${below}`;
}
