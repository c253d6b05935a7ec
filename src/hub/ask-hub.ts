/** Connects to a hub that runs, and exchanges private messages with it. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import type { JsonObject } from "../base/json.js";
import { here } from "../base/platform.js";
import { withTimeout } from "../base/timing.js";
import { checkHubFolder, HubUnavailable, isSocketThere, pidFile } from "./hub-folder.js";
import { firstMessage, type PrivateKind, type PrivateMessage, privateLine } from "./lines.js";

/** A hub answers at once. One that does not is stopped or stuck. Some clients wait only 5 s for their server. */
export const ANSWER_MS = 3_000;

/** A hub listens and does not answer. */
export class HubSilent extends HubUnavailable {
  constructor(path: string) {
    super(`the hub at ${path} does not answer; if it stays so, end its process${processText(path)}`);
  }
}

/** The process of the hub at a path in words: its id, if that is on record. */
function processText(path: string): string {
  try {
    const pid = here.hasSocketFiles ? Number(readFileSync(pidFile(path), "utf8")) : 0;
    if (pid > 0) return ` ${pid}`;
  } catch {
    // The file may be removed by hand.
  }
  return ", `hub run` in the list of processes";
}

/** A connection to the hub at a path; undefined when none listens there. */
export async function openSocket(path: string): Promise<Socket | undefined> {
  if (!isSocketThere(path)) return undefined;
  if (here.hasSocketFiles) checkHubFolder(dirname(path));
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once("error", () => resolve(undefined));
    socket.once("connect", () => {
      // Later errors end the connection, which its user sees.
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}

interface HubReply {
  socket: Socket;
  answer: PrivateMessage;
}

/**
 * Sends the first message and waits for the hub's answer; undefined when no hub listens there, or it ends. Throws
 * HubSilent when it does not answer in time.
 */
export async function exchange(
  path: string,
  kind: PrivateKind,
  body: JsonObject = {},
  waitMs = ANSWER_MS,
): Promise<HubReply | undefined> {
  const socket = await openSocket(path);
  if (socket === undefined) return undefined;
  socket.write(privateLine(kind, body));
  const first = await withTimeout(
    firstMessage(socket).then((answer) => ({ answer })),
    waitMs,
  );
  if (first?.answer !== undefined) return { socket, answer: first.answer };
  socket.destroy();
  if (first === undefined) throw new HubSilent(path);
  return undefined;
}

/** The same for an exchange that is over with the answer. */
export async function askOnce(path: string, kind: PrivateKind): Promise<PrivateMessage["body"] | undefined> {
  const asked = await exchange(path, kind, {});
  asked?.socket.destroy();
  return asked?.answer.body;
}

/** The result, or undefined when no hub can be used. */
export async function unlessUnavailable<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HubUnavailable) return undefined;
    throw error;
  }
}
