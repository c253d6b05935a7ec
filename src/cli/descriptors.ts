/** Inherited descriptors as the streams of a protocol. */
import { createReadStream, createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import { PassThrough, Readable, Writable } from "node:stream";
import { UsageError } from "./command.js";

export interface Streams {
  input: Readable;
  output: Writable;
}

/** The streams of two descriptors, which may be the two directions of one socket. */
export function openDescriptors(from: string, to: string): Streams {
  const reading = openDescriptor(from);
  const writing = openDescriptor(to);
  if (reading.fd === writing.fd && reading.isStream) {
    const both = new Socket({ fd: reading.fd });
    return { input: both, output: both };
  }
  return {
    input: reading.isStream
      ? new Socket({ fd: reading.fd, readable: true, writable: false })
      : createReadStream("", { fd: reading.fd }),
    output: writing.isStream
      ? new Socket({ fd: writing.fd, readable: false, writable: true })
      : createWriteStream("", { fd: writing.fd }),
  };
}

/**
 * The same where the client may write to either descriptor: llxprt-code's document says the first, its client writes to
 * the second. The pipes of Node's `spawn` are sockets, so what is written to first is the input.
 */
export function openUnordered(first: string, second: string): Streams {
  if (![first, second].every((text) => openDescriptor(text).isSocket)) return openDescriptors(first, second);
  const [one, other] = [first, second].map((text) => new Socket({ fd: Number(text) })) as [Socket, Socket];
  const input = new PassThrough();
  let target: Socket | undefined;
  const output = new Writable({
    write: (chunk, _encoding, done) => void (target ?? other).write(chunk, done),
  });
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.once("data", () => {
      target ??= to;
    });
    from.pipe(input, { end: false });
    from.once("end", () => input.end());
    from.once("error", (error) => output.destroy(error));
  }
  return { input, output };
}

/** For no client at all: an input that has ended, and an output that nobody reads. */
export function noStreams(): Streams {
  return { input: Readable.from([]), output: new PassThrough() };
}

/** Node handles pipes and sockets in its event loop, other files in threads. */
function openDescriptor(text: string): { fd: number; isStream: boolean; isSocket: boolean } {
  const fd = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  try {
    const stats = fstatSync(fd);
    return { fd, isStream: stats.isFIFO() || stats.isSocket(), isSocket: stats.isSocket() };
  } catch {
    throw new UsageError(`the descriptor ${JSON.stringify(text)} is not open`);
  }
}
