/**
 * Finds `Content-Length:` headers in a server's output. The cost is linear in the bytes, whatever they are: text is
 * decoded in windows, and a failed match ends after a few lines.
 */

const NAME = "content-length:";
/** Further lines may not name the length again: a second name begins another header. */
const HEADER =
  /Content-Length:[ \t]{0,32}(\d{1,15})[ \t]{0,32}\r?\n(?:(?!Content-Length:)[A-Za-z-]{1,64}:[^\r\n]{0,256}\r?\n){0,8}\r?\n/gi;
/** A header is looked for in this many bytes from its first one. */
const MAX_HEADER = 2_048;
const FIRST_WINDOW = 4_096;
const MAX_WINDOW = 65_536;

/** A complete header: its offset, its own size, and the length of the body that follows. */
export interface FrameHeader {
  at: number;
  size: number;
  length: number;
}

/** The first complete header that begins at or after `from` and before `to`. */
export function findHeader(buffer: Buffer, from = 0, to = buffer.length): FrameHeader | undefined {
  // A header is near in most cases: the first window is small.
  let window = FIRST_WINDOW;
  for (let at = from; at < to; at += window, window = MAX_WINDOW) {
    const text = buffer.toString("latin1", at, Math.min(at + window, to) + MAX_HEADER);
    HEADER.lastIndex = 0;
    const match = HEADER.exec(text);
    if (match === null || at + match.index >= to) continue;
    return { at: at + match.index, size: match[0].length, length: Number(match[1]) };
  }
  return undefined;
}

/** How many bytes at the end may be the beginning of a header. */
export function partialHeader(buffer: Buffer): number {
  const tail = buffer.toString("latin1", Math.max(0, buffer.length - MAX_HEADER)).toLowerCase();
  const name = tail.lastIndexOf(NAME);
  if (name >= 0) return tail.length - name;
  for (let length = Math.min(tail.length, NAME.length - 1); length > 0; length--)
    if (NAME.startsWith(tail.slice(-length))) return length;
  return 0;
}

/** Whether a complete header begins in this chunk, or shortly before it: the message before it was cut short. */
export function startsHeader(before: Buffer | undefined, chunk: Buffer): boolean {
  if (findHeader(chunk) !== undefined) return true;
  const tail = before?.subarray(-64);
  return tail !== undefined && findHeader(Buffer.concat([tail, chunk.subarray(0, MAX_HEADER)])) !== undefined;
}
