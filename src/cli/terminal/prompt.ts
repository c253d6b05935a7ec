/** Questions on the terminal, and the progress line of long work. */
import { createInterface } from "node:readline/promises";
import { escapeLine } from "../../base/hidden-characters.js";
import { type Io, Stopped } from "../command.js";

export function isInteractive(io: Io): boolean {
  return "isTTY" in io.stdin && io.stdin.isTTY === true && io.stderr.isTTY;
}

/** Asks until `parse` accepts the answer. Undefined when the input ends (Ctrl-D); Ctrl-C throws a Stopped. */
export async function askUntil<T>(
  io: Io,
  question: string,
  parse: (answer: string) => T | undefined,
): Promise<T | undefined> {
  // After an earlier question the user may have left; readline would wait for ever.
  if (io.stdin.readableEnded || io.stdin.destroyed) return undefined;
  const lines = createInterface({
    input: io.stdin,
    output: io.stderr.stream,
    prompt: escapeLine(question),
  });
  let isStopped = false;
  lines.once("SIGINT", () => {
    isStopped = true;
    lines.close();
  });
  try {
    lines.prompt();
    for await (const line of lines) {
      const parsed = parse(line.trim());
      if (parsed !== undefined) return parsed;
      lines.prompt();
    }
    // The cursor is still behind the question.
    io.stderr.write("\n");
    if (isStopped) throw new Stopped("stopped");
    return undefined;
  } finally {
    lines.close();
  }
}

/** Asks a yes/no question. An empty line is the usual answer; where the input ends, the answer is no. */
export async function confirm(io: Io, question: string, usual: "yes" | "no" = "no"): Promise<boolean> {
  const answer = await askUntil(io, `${question} ${usual === "yes" ? "[Y/n]" : "[y/N]"} `, (line) => line);
  return answer === "" ? usual === "yes" : /^y(es)?$/i.test(answer ?? "");
}

/** Parses a choice from a numbered list: numbers, ranges, `all`, `none`. */
export function parseSelection(answer: string, count: number): { picked: Set<number> } | { unknown: string } {
  const picked = new Set<number>();
  const words = answer.toLowerCase().split(/[\s,;]+/);
  for (const word of words.filter((word) => word !== "" && word !== "none")) {
    const range = word === "all" ? ["1", String(count)] : /^(\d+)(?:-(\d+))?$/.exec(word)?.slice(1);
    const from = Number(range?.[0]);
    const to = Number(range?.[1] ?? range?.[0]);
    if (range === undefined || from < 1 || to > count || from > to) return { unknown: word };
    for (let number = from; number <= to; number++) picked.add(number);
  }
  return { picked };
}

const PROGRESS_DELAY_MS = 1_000;

/**
 * Shows on a terminal what is running: one line, once it has taken a second, that counts seconds and is erased at the
 * end. `work` may say what it is doing meanwhile. In a pipe nothing is shown.
 */
export async function withProgress<T>(
  io: Io,
  text: string,
  work: (update: (message: string) => void) => Promise<T>,
): Promise<T> {
  if (!io.stderr.isTTY) return work(() => undefined);
  const began = Date.now();
  let doing = text;
  const show = () => {
    const seconds = Math.round((Date.now() - began) / 1000);
    io.stderr.replaceLine(`${seconds} s  ${doing}`);
  };
  const timer = setInterval(show, PROGRESS_DELAY_MS);
  try {
    return await work((message) => {
      doing = message;
      if (Date.now() - began >= PROGRESS_DELAY_MS) show();
    });
  } finally {
    clearInterval(timer);
    io.stderr.replaceLine("");
  }
}
