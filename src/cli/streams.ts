/** The streams that carry the protocol of `serve`: stdin and stdout, or inherited descriptors. */
import { createReadStream, createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { type Input, type Io, UsageError } from "./command.js";

export interface ProtocolStreams {
  input: Readable;
  output: Writable;
}

/** The streams of the protocol: stdin and stdout, or two inherited descriptors. */
export function openStreams(input: Input, io: Io): ProtocolStreams {
  const [from, to] = [input.text("fd-in"), input.text("fd-out")];
  if (from === undefined && to === undefined) return { input: io.stdin, output: io.stdout.stream };
  if (from === undefined || to === undefined)
    throw new UsageError("give both --fd-in and --fd-out, or neither");
  const [reading, writing] = [openDescriptor(from), openDescriptor(to)];
  if (reading.fd === writing.fd && reading.isSocket) {
    const both = new Socket({ fd: reading.fd });
    return { input: both, output: both };
  }
  return {
    input: reading.isSocket
      ? new Socket({ fd: reading.fd, readable: true, writable: false })
      : createReadStream("", { fd: reading.fd }),
    output: writing.isSocket
      ? new Socket({ fd: writing.fd, readable: false, writable: true })
      : createWriteStream("", { fd: writing.fd }),
  };
}

/** Node handles pipes and sockets in its event loop, other files in threads. */
function openDescriptor(text: string): { fd: number; isSocket: boolean } {
  const fd = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  try {
    const stats = fstatSync(fd);
    return { fd, isSocket: stats.isFIFO() || stats.isSocket() };
  } catch {
    throw new UsageError(`the descriptor ${JSON.stringify(text)} is not open`);
  }
}
