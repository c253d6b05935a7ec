/**
 * The log: one bounded line per event, on stderr or in a file. The trace: every MCP and LSP message, texts masked
 * unless asked for. Such files can be read only by their owner. Neither is ever on stdout.
 */
import { fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { escapeText } from "../../base/hidden-characters.js";
import { isTable } from "../../base/json.js";
import { isInside, pathOfUri } from "../../base/paths.js";
import { ConfigError } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import { cutCharacters } from "../../base/text.js";
import { START_FAILED } from "../../lsp/process/start-failure.js";
import type { Log, Trace } from "../../lsp/types.js";
import { type Input, type Io, type Surroundings, UsageError } from "../command.js";
import { guardedFolders, guardedTarget } from "../files/link-guard.js";
import { logLevels } from "../flags.js";
import { fitting, mask, maskReply } from "./mask.js";

type Level = (typeof logLevels)[number];

const MOST_LINE_BYTES = 2_048;
const MOST_MESSAGE = 200;

/** Default level. Reports log nothing. `unanswered` is `warn` without what the answer already says. */
export type UsualLog = "warn" | "unanswered" | "off";

export function openLog(input: Input, io: Io, usual: UsualLog = "warn"): Log {
  const wantsLog = input.text("log-file") !== undefined || input.isOn("log-json");
  const asked = input.text("log-level") ?? io.env.LSP_PROXY_LOG ?? (wantsLog ? "warn" : usual);
  if (asked === "off") return () => undefined;
  if (asked === "unanswered" && asked === usual) {
    const log = openLog(input, io);
    return (level, message, data) => {
      if (message !== START_FAILED) log(level, message, data);
    };
  }
  if (!logLevels.includes(asked as Level)) throw new UsageError(`--log-level takes ${logLevels.join(", ")}`);
  const least = logLevels.indexOf(asked as Level);
  const file = input.text("log-file");
  const write =
    file === undefined
      ? (line: string) => io.stderr.write(line)
      : openPrivateFile("log-file", file, input, io);
  const format = input.isOn("log-json") ? jsonLine : textLine;
  return (level, message, data = {}) => {
    if (logLevels.indexOf(level) < least) return;
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
  const start = cutCharacters(text, most);
  return start.cut ? `${start.text}…` : text;
}

const MOST_TRACE_BYTES = 8_192;

/** The trace that the command line asks for. Without `--trace-text` it names no file outside the roots. */
export function openTrace(input: Input, io: Io, roots: () => readonly string[]): Trace | undefined {
  const file = input.text("trace");
  const withText = input.isOn("trace-text");
  if (file === undefined) {
    if (withText) throw new UsageError("--trace-text needs --trace FILE");
    return undefined;
  }
  const write = openPrivateFile("trace", file, input, io);
  return ({ message, ...facts }) => {
    const time = new Date().toISOString();
    const line = (shown: unknown): string => `${JSON.stringify({ time, ...facts, message: shown })}\n`;
    const mayShow = (uri: string) => isNamedInside(uri, roots());
    const isOurReply =
      facts.side === "lsp" && facts.direction === "sent" && isTable(message) && !("method" in message);
    const shown = (depth: number) =>
      isOurReply ? maskReply(message, mayShow, depth) : mask(message, mayShow, depth);
    write(withText ? line(message) : fitting(MOST_TRACE_BYTES, (depth) => line(shown(depth))));
  };
}

/** Whether a URI names a file inside a root without `.` or `..` segments, which would show other folder names. */
export function isNamedInside(uri: string, roots: readonly string[]): boolean {
  if (/(?:[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:[\\/]|%2f|%5c|$)/i.test(uri)) return false;
  const path = pathOfUri(uri);
  return path !== undefined && roots.some((root) => isInside(path, root));
}

/** Opens a file for appending that only its owner can read, also when it existed before. `flag` is named in errors. */
function openPrivateFile(flag: string, file: string, input: Input, io: Surroundings): (line: string) => void {
  let descriptor: number;
  try {
    descriptor = openSync(guardedTarget(resolve(io.cwd, file), guardedFolders(input, io)), "a", 0o600);
    const stats = fstatSync(descriptor);
    // The permissions of a terminal or a pipe are left alone.
    if (stats.isFile() && (stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new UsageError(`--${flag} ${file} cannot be written (${systemCode(error) || "unknown"})`);
  }
  return (line) => {
    try {
      writeSync(descriptor, escapeText(line));
    } catch {
      // A full disk must not make a call fail.
    }
  };
}
