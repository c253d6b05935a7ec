/** The streams that carry the protocol of `serve`: stdin and stdout, or inherited descriptors. */
import { type Input, type Io, UsageError } from "./command.js";
import type { Streams } from "./descriptors.js";
import { HOST } from "./flags.js";

export async function openStreams(input: Input, io: Io): Promise<Streams> {
  const host = input.text(HOST);
  const from = input.text("fd-in");
  const to = input.text("fd-out");
  if (from === undefined && to === undefined && host === undefined)
    return { input: io.stdin, output: io.stdout.stream };
  const descriptors = await import("./descriptors.js");
  if (host !== undefined)
    return host === "mcp" ? descriptors.openUnordered("3", "4") : descriptors.noStreams();
  if (from === undefined || to === undefined)
    throw new UsageError("give both --fd-in and --fd-out, or neither");
  return descriptors.openDescriptors(from, to);
}
