/** Prints problems: as code frames for a person on stderr, as one JSON document on stdout when asked. */
import { readFileSync } from "node:fs";
import type { Problem } from "../../base/problem.js";
import type { Surroundings } from "../command.js";
import { problemsJson, renderProblems } from "./report.js";

/** Prints them all, in the order given. */
export function printProblems(
  problems: readonly Problem[],
  options: { json: boolean; io: Surroundings },
): void {
  const { io } = options;
  if (options.json) {
    io.stdout.write(`${JSON.stringify(problemsJson([...problems]), null, 2)}\n`);
    return;
  }
  io.stderr.write(renderProblems([...problems], { sources: readSource, color: useColor(io), base: io.cwd }));
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The file may be gone since it was read; its problem is still worth a line without a frame.
    return undefined;
  }
}

/** Whether to colour what goes to stderr. */
export function useColor(io: Surroundings): boolean {
  return io.stderr.isTTY === true && !io.env.NO_COLOR;
}
