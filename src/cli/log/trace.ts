/**
 * The trace: every message with the client and with the language servers, one JSON document per line in a file that only
 * its owner may read, without the texts in them unless those were asked for.
 */
import { fileURLToPath } from "node:url";
import { isTable } from "../../base/json.js";
import { isInside } from "../../base/paths.js";
import type { Trace } from "../../lsp/types.js";
import { type Flags, type Input, isOn, textFlag, UsageError } from "../command.js";
import { openPrivateFile } from "../files/private-file.js";
import { fitting, veil, veilResult } from "./veil.js";

export const traceFlags: Flags = {
  trace: {
    type: "string",
    value: "FILE",
    description: "Appends the MCP and LSP traffic to a file, one JSON document per line; texts as lengths.",
  },
  "trace-text": { type: "boolean", description: "Keeps the texts in the trace: code, settings, everything." },
};

/** Hears all traffic and writes it down, when the command line asks for that. Files outside the roots are not named. */
export function openTrace(input: Input, roots: () => readonly string[]): Trace | undefined {
  const file = textFlag(input, "trace");
  if (file === undefined) {
    if (isOn(input, "trace-text")) throw new UsageError("--trace-text says nothing without --trace FILE");
    return undefined;
  }
  const write = openPrivateFile("trace", file);
  const withText = isOn(input, "trace-text");
  return ({ message, ...facts }) => {
    const time = new Date().toISOString();
    const line = (shown: unknown): string => `${JSON.stringify({ time, ...facts, message: shown })}\n`;
    if (withText) write(line(message));
    else write(fitting(mostLine, (depth) => line(withoutText(facts, message, roots(), depth))));
  };
}

/** Bytes of a line without texts. */
const mostLine = 8_192;

function withoutText(
  { side, direction }: { side: string; direction: string },
  message: unknown,
  roots: readonly string[],
  depth: number,
): unknown {
  const mayName = (uri: string): boolean => isNamedInside(uri, roots);
  const isAnswerOfOurs = side === "lsp" && direction === "sent" && isTable(message) && !("method" in message);
  return isAnswerOfOurs ? veilResult(message, mayName, depth) : veil(message, mayName, depth);
}

/** Whether a URI names a file in a root without a way around: what is passed on the way is told as well. */
export function isNamedInside(uri: string, roots: readonly string[]): boolean {
  if (/(?:[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:[\\/]|%2f|%5c|$)/i.test(uri)) return false;
  try {
    const path = fileURLToPath(uri);
    return roots.some((root) => isInside(path, root));
  } catch {
    return false;
  }
}
