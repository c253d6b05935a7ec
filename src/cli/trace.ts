/**
 * The trace: every message with the client and with the language servers, one JSON document per line in a file that only
 * its owner may read. Texts (code, documentation, settings, paths of programs) are replaced by their lengths: what is
 * kept is what a protocol needs to be followed.
 */
import { openSync, writeSync } from "node:fs";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { isTable } from "../base/json.js";
import type { Trace } from "../lsp/types.js";
import { type Flags, type Input, isOn, textFlag, UsageError } from "./command.js";

export const traceFlags: Flags = {
  trace: {
    type: "string",
    value: "FILE",
    description: "Appends the MCP and LSP traffic to a file, one JSON document per line; texts as lengths.",
  },
  "trace-text": { type: "boolean", description: "Keeps the texts in the trace: code, settings, everything." },
};

/** Members whose text says which message it is and what it is about, not what stands in files or settings. */
const KEPT = new Set([
  "jsonrpc",
  "id",
  "method",
  "uri",
  "targetUri",
  "rootUri",
  "file_path",
  "path",
  "languageId",
  "kind",
  "token",
  "progressToken",
  "requestId",
  "resultId",
  "previousResultId",
  "positionEncoding",
  "protocolVersion",
  "version",
  "tool",
  "server_id",
  "state",
  "readiness",
  "status",
  "code",
  "severity",
]);

/** Members that name a file; one outside the workspace is nobody's business. */
const FILES = new Set(["uri", "targetUri", "rootUri", "file_path", "path"]);

/** Members that may hold anything, secrets included. */
const CLOSED = new Set(["initializationOptions", "settings", "env"]);

/** Hears all traffic and writes it down, when the command line asks for that. Files outside the roots are not named. */
export function openTrace(input: Input, roots: () => readonly string[]): Trace | undefined {
  const file = textFlag(input, "trace");
  if (file === undefined) {
    if (isOn(input, "trace-text")) throw new UsageError("--trace-text says nothing without --trace FILE");
    return undefined;
  }
  const descriptor = openTraceFile(file);
  const withText = isOn(input, "trace-text");
  return ({ message, ...facts }) => {
    const veil = veilOver((name) => isWithin(name, roots()));
    const shown = withText ? message : veil(message, isAnswerOfOurs(facts, message) ? nothing : KEPT);
    const line = { time: new Date().toISOString(), ...facts, message: shown };
    writeSync(descriptor, `${JSON.stringify(line)}\n`);
  };
}

function openTraceFile(file: string): number {
  try {
    return openSync(file, "a", 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new UsageError(`--trace ${file} cannot be written (${code})`);
  }
}

const nothing: ReadonlySet<string> = new Set(["jsonrpc", "id"]);

/** What a server asks us for may be its settings. */
function isAnswerOfOurs(facts: { side: string; direction: string }, message: unknown): boolean {
  return (
    facts.side === "lsp" && facts.direction === "sent" && isTable(message) && message.method === undefined
  );
}

/** Whether the file of that name, a path or a URI, lies in one of the folders. */
function isWithin(name: string, folders: readonly string[]): boolean {
  const path = name.replace(/^file:\/\//, "");
  if (!isAbsolute(path)) return !path.split(/[\\/]/).includes("..");
  const names = folders.flatMap((folder) => [folder, pathToFileURL(folder).pathname]);
  return names.some(
    (folder) => path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`),
  );
}

type Veil = (value: unknown, kept: ReadonlySet<string>, key?: string, parent?: string) => unknown;

/** What replaces texts by their lengths, but for members that are kept, and the name of a tool that is called. */
function veilOver(isShown: (file: string) => boolean): Veil {
  const veil: Veil = (value, kept, key = "", parent = "") => {
    if (typeof value === "string") {
      const isKept = kept.has(key) || (key === "name" && parent === "params");
      return isKept && (!FILES.has(key) || isShown(value)) ? value : `<${value.length} characters>`;
    }
    if (Array.isArray(value)) return value.map((item) => veil(item, kept, key, parent));
    if (!isTable(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        veil(member, CLOSED.has(name) ? nothing : kept, name, key),
      ]),
    );
  };
  return veil;
}
