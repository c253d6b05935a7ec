/** `--trace`: appends every MCP and LSP message to a file that only its owner can read, texts masked unless asked for. */
import { fileURLToPath } from "node:url";
import { isTable } from "../../base/json.js";
import { isInside } from "../../base/paths.js";
import type { Trace } from "../../lsp/types.js";
import { type Input, UsageError } from "../command.js";
import { openPrivateFile } from "./log.js";
import { fitting, mask, maskReply } from "./mask.js";

const MOST_LINE_BYTES = 8_192;

/** The trace that the command line asks for. Without `--trace-text` it names no file outside the roots. */
export function openTrace(input: Input, roots: () => readonly string[]): Trace | undefined {
  const file = input.text("trace");
  const withText = input.isOn("trace-text");
  if (file === undefined) {
    if (withText) throw new UsageError("--trace-text needs --trace FILE");
    return undefined;
  }
  const write = openPrivateFile("trace", file);
  return ({ message, ...facts }) => {
    const time = new Date().toISOString();
    const line = (shown: unknown): string => `${JSON.stringify({ time, ...facts, message: shown })}\n`;
    if (withText) {
      write(line(message));
      return;
    }
    const mayShow = (uri: string) => isNamedInside(uri, roots());
    const isOurReply =
      facts.side === "lsp" && facts.direction === "sent" && isTable(message) && !("method" in message);
    write(
      fitting(MOST_LINE_BYTES, (depth) =>
        line(isOurReply ? maskReply(message, mayShow, depth) : mask(message, mayShow, depth)),
      ),
    );
  };
}

/** Whether a URI names a file inside a root without `.` or `..` segments, which would show other folder names. */
export function isNamedInside(uri: string, roots: readonly string[]): boolean {
  if (/(?:[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:[\\/]|%2f|%5c|$)/i.test(uri)) return false;
  try {
    const path = fileURLToPath(uri);
    return roots.some((root) => isInside(path, root));
  } catch {
    return false;
  }
}
