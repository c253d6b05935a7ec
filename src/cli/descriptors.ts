/** Streams on descriptors that a host passed on, so that stdin and stdout stay the host's own. */
import { createReadStream, createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { type Flags, type Input, type Surroundings, textFlag, UsageError } from "./command.js";

export const descriptorFlags: Flags = {
  "fd-in": { type: "string", value: "N", description: "Reads the protocol from this inherited descriptor." },
  "fd-out": { type: "string", value: "N", description: "Writes the protocol to this inherited descriptor." },
};

/** The streams that the command line asks for: stdin and stdout, or a pair of descriptors. */
export function openStreams(input: Input, io: Surroundings): { input: Readable; output: Writable } {
  const [from, to] = [textFlag(input, "fd-in"), textFlag(input, "fd-out")];
  if (from === undefined && to === undefined) return { input: io.stdin, output: io.stdout };
  if (from === undefined || to === undefined)
    throw new UsageError("give both --fd-in and --fd-out, or neither", "serve");
  const [reading, writing] = [descriptor(from), descriptor(to)];
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

/** A descriptor that is open; Node waits for pipes and sockets in its event loop, for anything else in a thread. */
function descriptor(text: string): { fd: number; isSocket: boolean } {
  const fd = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  try {
    const facts = fstatSync(fd);
    return { fd, isSocket: facts.isFIFO() || facts.isSocket() };
  } catch {
    throw new UsageError(`the descriptor ${JSON.stringify(text)} is not open`, "serve");
  }
}
