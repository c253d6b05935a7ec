/** The private messages on the socket of a hub: lines between those of MCP. */
import type { Readable, Writable } from "node:stream";
import { isTable, type JsonObject, parseJson } from "../base/json.js";

const NEWLINE = 10;

/** The member that marks a private message, and says what it is. */
const MARK = "lsp-proxy";

/**
 * Requests of the command line to a hub: to call a tool; to wait for the servers and then call it; to ask each server
 * one thing; to choose the servers again by the files of the workspace.
 */
const commandKinds = ["call", "callWarm", "tryServers", "lookAgain"] as const;
type CommandKind = (typeof commandKinds)[number];

/**
 * Messages besides MCP between a hub and the processes that connect to it. The first line of a connection is `session`,
 * a command, `status`, `dashboard` or `stop`; the first answer is `ready`, `full` or `answer`. `progress`, `drain` and,
 * after a change of the config, `ready` may follow.
 */
export type PrivateKind =
  | "session"
  | CommandKind
  | "status"
  | "dashboard"
  | "stop"
  | "ready"
  | "full"
  | "answer"
  | "progress"
  | "drain";

export interface PrivateMessage {
  kind: PrivateKind;
  body: { readonly [name: string]: unknown };
}

/** A message of the command line. */
export interface HubCommand extends PrivateMessage {
  kind: CommandKind;
}

export function isCommand(message: PrivateMessage | undefined): message is HubCommand {
  return commandKinds.some((kind) => kind === message?.kind);
}

export function privateLine(kind: PrivateKind, body: JsonObject = {}): string {
  return `${JSON.stringify({ [MARK]: kind, ...body })}\n`;
}

/** The private message in a value; undefined for anything else, such as a message of MCP. */
export function privateMessage(value: unknown): PrivateMessage | undefined {
  if (!isTable(value) || typeof value[MARK] !== "string") return undefined;
  const { [MARK]: kind, ...body } = value;
  return { kind: kind as PrivateKind, body };
}

/** The longest first line. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;

/**
 * The first line of a stream as a private message;
 * undefined when it ends or sends anything else. The rest stays unread.
 */
export function firstMessage(stream: Readable & Writable): Promise<PrivateMessage | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const done = (message: PrivateMessage | undefined) => {
      stream.pause();
      stream.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
      resolve(message);
    };
    const onEnd = () => done(undefined);
    const onData = (chunk: Buffer) => {
      const end = chunk.indexOf(NEWLINE);
      parts.push(end < 0 ? chunk : chunk.subarray(0, end));
      length += chunk.length;
      if (end < 0) {
        if (length > MAX_FIRST_BYTES) done(undefined);
        return;
      }
      const rest = chunk.subarray(end + 1);
      done(privateMessage(parseJson(Buffer.concat(parts).toString("utf8"))));
      if (rest.length > 0) stream.unshift(rest);
    };
    stream.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
  });
}
