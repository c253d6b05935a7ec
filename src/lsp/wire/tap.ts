/** Lets somebody see every message of a connection, without a part in it, or take some of them out. */
import type { DataCallback, Disposable, Message, MessageReader, MessageWriter } from "vscode-jsonrpc/node";

type See = (message: Message) => void;

/** The reader, with every message shown before it is handed on. */
export function tapReader(reader: MessageReader, see: See): MessageReader {
  return sievedReader(reader, (message) => {
    see(message);
    return false;
  });
}

/** The reader, without the messages that are taken. */
export function sievedReader(reader: MessageReader, takes: (message: Message) => boolean): MessageReader {
  return {
    onError: reader.onError,
    onClose: reader.onClose,
    onPartialMessage: reader.onPartialMessage,
    listen: (callback: DataCallback): Disposable =>
      reader.listen((message) => {
        if (!takes(message)) callback(message);
      }),
    dispose: () => reader.dispose(),
  };
}

/** The writer, with every message shown before it is sent. */
export function tapWriter(writer: MessageWriter, see: See): MessageWriter {
  return {
    onError: writer.onError,
    onClose: writer.onClose,
    write: (message) => {
      see(message);
      return writer.write(message);
    },
    end: () => writer.end(),
    dispose: () => writer.dispose(),
  };
}
