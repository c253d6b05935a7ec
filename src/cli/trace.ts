/**
 * The trace: every message with the client and with the language servers, one JSON document per line in a file that only
 * its owner may read, without the texts in them unless those were asked for.
 */
import { fileUri } from "../base/file-uri.js";
import { isTable } from "../base/json.js";
import type { Trace } from "../lsp/types.js";
import { type Flags, type Input, isOn, textFlag, UsageError } from "./command.js";
import { openPrivateFile } from "./private-file.js";
import { veil, veilResult } from "./veil.js";

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
    const shown = withText ? message : withoutText(facts, message, roots());
    write(`${JSON.stringify({ time: new Date().toISOString(), ...facts, message: shown })}\n`);
  };
}

function withoutText(
  { side, direction }: { side: string; direction: string },
  message: unknown,
  roots: readonly string[],
): unknown {
  const folders = roots.map((root) => fileUri(root));
  const mayName = (uri: string): boolean =>
    folders.some((folder) => uri === folder || uri.startsWith(folder.endsWith("/") ? folder : `${folder}/`));
  const isAnswerOfOurs = side === "lsp" && direction === "sent" && isTable(message) && !("method" in message);
  return isAnswerOfOurs ? veilResult(message, mayName) : veil(message, mayName);
}
