/** The log: one bounded line per event, on stderr or in a file that only its owner can read. Never on stdout. */
import { fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import type { Log } from "../../lsp/types.js";
import { type Input, type Io, UsageError } from "../command.js";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

const MOST_LINE_BYTES = 2_048;
const MOST_MESSAGE = 200;

export function openLog(input: Input, io: Io): Log {
  const asked = input.text("log-level") ?? io.env.LSP_PROXY_LOG ?? "warn";
  if (!levels.includes(asked as Level)) throw new UsageError(`--log-level takes ${levels.join(", ")}`);
  const least = levels.indexOf(asked as Level);
  const file = input.text("log-file");
  const write =
    file === undefined ? (line: string) => void io.stderr.write(line) : openPrivateFile("log-file", file);
  const format = input.isOn("log-json") ? jsonLine : textLine;
  return (level, message, data = {}) => {
    if (levels.indexOf(level) < least) return;
    const event = { time: new Date().toISOString(), level, message: cut(message, MOST_MESSAGE), data };
    let line = format(event);
    for (let room = MOST_LINE_BYTES; Buffer.byteLength(line) > MOST_LINE_BYTES && room > 0; room >>= 1)
      line = format({ ...event, data: shortened(data, room) });
    write(line);
  };
}

interface LogEvent {
  time: string;
  level: Level;
  message: string;
  data: { [key: string]: unknown };
}

function jsonLine({ data, ...event }: LogEvent): string {
  return `${JSON.stringify({ ...event, ...data })}\n`;
}

function textLine({ time, level, message, data }: LogEvent): string {
  const extras = Object.entries(data).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${[time, level, message, ...extras].join(" ")}\n`;
}

/** The first ten fields of an event, each with at most `room` characters. */
function shortened(data: LogEvent["data"], room: number): LogEvent["data"] {
  const fields = Object.entries(data).slice(0, 10);
  const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return Object.fromEntries(fields.map(([key, value]) => [cut(key, 40), cut(textOf(value), room)]));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Opens a file for appending that only its owner can read, also when it existed before. `flag` is named in errors. */
export function openPrivateFile(flag: string, file: string): (line: string) => void {
  let descriptor: number;
  try {
    descriptor = openSync(file, "a", 0o600);
    const stats = fstatSync(descriptor);
    // The permissions of a terminal or a pipe are left alone.
    if (stats.isFile() && (stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new UsageError(`--${flag} ${file} cannot be written (${code})`);
  }
  return (line) => {
    try {
      writeSync(descriptor, line);
    } catch {
      // A full disk must not make a call fail.
    }
  };
}
