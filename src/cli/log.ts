/** The log: one line per event on stderr or in a file of its owner's, never on stdout. */
import type { Log } from "../lsp/types.js";
import { type Flags, type Input, isOn, type Surroundings, textFlag, UsageError } from "./command.js";
import { openPrivateFile } from "./private-file.js";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

export const logFlags: Flags = {
  "log-level": { type: "string", value: "LEVEL", description: "debug, info, warn (default) or error." },
  "log-file": { type: "string", value: "FILE", description: "Appends the log to a file instead of stderr." },
  "log-json": { type: "boolean", description: "Writes one JSON document per line." },
};

/** The log that the command line asks for. */
export function openLog(input: Input, io: Surroundings): Log {
  const asked = textFlag(input, "log-level") ?? io.env.LSP_PROXY_LOG ?? "warn";
  if (!levels.includes(asked as Level)) throw new UsageError(`--log-level takes ${levels.join(", ")}`);
  const least = levels.indexOf(asked as Level);
  const file = textFlag(input, "log-file");
  const asJson = isOn(input, "log-json");
  const write =
    file === undefined ? (line: string) => void io.stderr.write(line) : openPrivateFile("log-file", file);
  return (level, message, data = {}) => {
    if (levels.indexOf(level) < least) return;
    const time = new Date().toISOString();
    if (asJson) {
      write(`${JSON.stringify({ time, level, message, ...data })}\n`);
      return;
    }
    const extras = Object.entries(data).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    write(`${[time, level, message, ...extras].join(" ")}\n`);
  };
}
