/**
 * The short way of a server's answers: one to a question of ours is taken as soon as it is read, unless something that the
 * server said before still waits in the connection's queue. Everything else goes through that queue, in its order.
 */
import type { Message, MessageReader, MessageStrategy } from "vscode-jsonrpc/node";
import { sievedReader } from "./tap.js";

type Handled = ReturnType<MessageStrategy["handleMessage"]>;

/** Takes the connection's word for it: such a message may be heeded at once and never stand in the queue. */
const CANCEL = "$/cancelRequest";

export class AnswerLane implements MessageStrategy {
  /** Messages that were given to the connection and not handled yet. */
  #waiting = 0;

  /** `take` is true of an answer that somebody waits for. */
  constructor(private readonly take: (message: Message) => boolean) {}

  /** The reader, without the answers that are taken on the short way. */
  reader(reader: MessageReader): MessageReader {
    return sievedReader(reader, (message) => {
      if (this.#waiting === 0 && this.take(message)) return true;
      if (!("method" in message) || message.method !== CANCEL) this.#waiting += 1;
      return false;
    });
  }

  /** The connection's turn for a message. */
  handleMessage(message: Message, next: (message: Message) => Handled): Handled {
    this.#waiting = Math.max(0, this.#waiting - 1);
    return this.take(message) ? undefined : next(message);
  }
}
