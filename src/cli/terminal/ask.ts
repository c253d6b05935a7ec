/** Questions to a person on the terminal. Nobody is asked where there is none. */
import { createInterface } from "node:readline/promises";
import type { Surroundings } from "../command.js";

/** Whether a person can be asked. */
export function isInteractive(io: Surroundings): boolean {
  return "isTTY" in io.stdin && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** What is made of the person's first answer that can be understood; undefined when they left (Ctrl-C, Ctrl-D) before that. */
export async function askUntil<T>(
  io: Surroundings,
  question: string,
  understand: (answer: string) => T | undefined,
): Promise<T | undefined> {
  const lines = createInterface({ input: io.stdin, output: io.stderr, prompt: question });
  try {
    lines.prompt();
    for await (const line of lines) {
      const understood = understand(line.trim());
      if (understood !== undefined) return understood;
      lines.prompt();
    }
    // The cursor stands behind the question still.
    io.stderr.write("\n");
    return undefined;
  } finally {
    lines.close();
  }
}

/** Whether the person agrees. Enter alone means the capital letter; who leaves does not agree. */
export async function agrees(io: Surroundings, question: string, otherwise: boolean): Promise<boolean> {
  const answer = await askUntil(io, `${question} [${otherwise ? "Y/n" : "y/N"}] `, (line) => line);
  return answer === "" ? otherwise : /^y(es)?$/i.test(answer ?? "");
}
