/** Questions to a person on the terminal. Nobody is asked where there is none. */
import { createInterface } from "node:readline/promises";
import type { Surroundings } from "./command.js";

/** Whether a person can be asked. */
export function isInteractive(io: Surroundings): boolean {
  return "isTTY" in io.stdin && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** The person's answer, without blanks around it; undefined when they left (Ctrl-C, Ctrl-D) without one. */
export async function ask(io: Surroundings, question: string): Promise<string | undefined> {
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  try {
    return (await Promise.race([lines.question(question), ended]))?.trim();
  } finally {
    lines.close();
  }
}

/** Whether the person agrees. Enter alone means the capital letter; who leaves does not agree. */
export async function agrees(io: Surroundings, question: string, otherwise: boolean): Promise<boolean> {
  const answer = await ask(io, `${question} [${otherwise ? "Y/n" : "y/N"}] `);
  return answer === "" ? otherwise : /^y(es)?$/i.test(answer ?? "");
}
