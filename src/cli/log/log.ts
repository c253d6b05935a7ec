/** The log: one line per event on stderr or in a file of its owner's, never on stdout. */
import type { Log } from "../../lsp/types.js";
import { type Flags, type Input, isOn, type Surroundings, textFlag, UsageError } from "../command.js";
import { openPrivateFile } from "../files/private-file.js";

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
    const event: LogEvent = { time: new Date().toISOString(), level, message: cut(message, mostText), data };
    const line = asJson ? jsonLine : textLine;
    let text = line(event);
    for (let room = mostLine; Buffer.byteLength(text) > mostLine && room > 0; room = Math.floor(room / 2))
      text = line({ ...event, data: shortened(data, room) });
    write(text);
  };
}

interface LogEvent {
  time: string;
  level: Level;
  message: string;
  data: { [key: string]: unknown };
}

/** Bytes of a line, and characters of what it says happened. */
const mostLine = 2_048;
const mostText = 200;

function jsonLine({ data, ...event }: LogEvent): string {
  return `${JSON.stringify({ ...event, ...data })}\n`;
}

function textLine({ time, level, message, data }: LogEvent): string {
  const extras = Object.entries(data).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${[time, level, message, ...extras].join(" ")}\n`;
}

/** The data of an event with at most so many characters in each of its texts. */
function shortened(data: { [key: string]: unknown }, room: number): { [key: string]: unknown } {
  const entries = Object.entries(data).slice(0, 10);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      cut(key, 40),
      cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), room),
    ]),
  );
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
