/** What an examination found: each with its area, how bad it is, and what to do about it. */
import type { Surroundings } from "../command.js";
import { visible } from "./width.js";

export interface Finding {
  area: string;
  state: "ok" | "note" | "warning" | "problem";
  text: string;
  /** What to do; every warning and problem has one. */
  fix?: string;
}

/** Takes each finding as it is made. */
export type Tell = (finding: Finding) => void;

const marks = { ok: "✓", note: "·", warning: "!", problem: "✗" } as const;
const colors = { ok: "32", note: "2", warning: "33", problem: "31" } as const;

/** A finding in one line, with its fix below it. */
export function findingLines(finding: Finding, io: Surroundings): string {
  const color = io.stdout.isTTY === true && !io.env.NO_COLOR;
  const mark = marks[finding.state];
  const head = color ? `\u001b[${colors[finding.state]}m${mark}\u001b[0m` : mark;
  const fix = finding.fix === undefined ? "" : `${" ".repeat(13)}→ ${finding.fix}\n`;
  return `${head} ${finding.area.padEnd(10)} ${visible(finding.text)}\n${fix}`;
}
