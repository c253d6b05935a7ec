/** Connects to a hub that runs, and exchanges private messages with it. */
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import type { JsonObject } from "../base/json.js";
import { here } from "../base/platform.js";
import { withTimeout } from "../base/timing.js";
import { checkHubFolder, isSocketThere } from "./hub-folder.js";
import { firstMessage, type PrivateKind, type PrivateMessage, privateLine } from "./lines.js";

/** A hub answers at once. One that does not is stopped or stuck. */
export const ANSWER_MS = 5_000;

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

/** Whether a process listens at a path. One that is stopped or stuck does, and does not answer. */
export async function isListening(path: string): Promise<boolean> {
  const socket = await openSocket(path);
  socket?.destroy();
  return socket !== undefined;
}

interface HubReply {
  socket: Socket;
  answer: PrivateMessage;
}

/** Sends the first message and waits for the hub's answer; undefined when no hub listens there or answers in time. */
export async function exchange(
  path: string,
  kind: PrivateKind,
  body: JsonObject = {},
  waitMs = ANSWER_MS,
): Promise<HubReply | undefined> {
  const socket = await openSocket(path);
  if (socket === undefined) return undefined;
  socket.write(privateLine(kind, body));
  const answer = await withTimeout(firstMessage(socket), waitMs);
  if (answer !== undefined) return { socket, answer };
  socket.destroy();
  return undefined;
}

/** The same for an exchange that is over with the answer. */
export async function askOnce(path: string, kind: PrivateKind): Promise<PrivateMessage["body"] | undefined> {
  const asked = await exchange(path, kind, {});
  asked?.socket.destroy();
  return asked?.answer.body;
}
