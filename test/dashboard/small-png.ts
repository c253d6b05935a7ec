/** Makes a screenshot small: a PNG with a palette of its 256 most frequent colours, of which a page has few others. */
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { sortBy } from "../../src/base/order.js";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const COLOURS = 256;

interface Picture {
  width: number;
  height: number;
  /** Bytes of a pixel: 3, or 4 with a transparency that is not kept. */
  step: number;
  pixels: Uint8Array;
}

export function smallPng(png: Buffer): Buffer {
  const { width, height, step, pixels } = decode(png);
  const colourAt = (at: number) =>
    ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += step) {
    const colour = colourAt(at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = sortBy([...counts], ([colour, count]) => [-count, colour])
    .slice(0, COLOURS)
    .map(([colour]) => colour);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  // Each line begins with its filter: none.
  const lines = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel++)
    lines[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] =
      indexes.get(colourAt(pixel * step)) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function nearest(palette: number[], colour: number): number {
  const distance = (other: number) =>
    ((other >> 16) - (colour >> 16)) ** 2 +
    (((other >> 8) & 255) - ((colour >> 8) & 255)) ** 2 +
    ((other & 255) - (colour & 255)) ** 2;
  let best = 0;
  for (let index = 1; index < palette.length; index++)
    if (distance(palette[index] ?? 0) < distance(palette[best] ?? 0)) best = index;
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Reads what Chromium writes: 8 bits a channel, in colours, not interlaced. */
function decode(png: Buffer): Picture {
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const step = { 2: 3, 6: 4 }[png[25] ?? 0];
  if (step === undefined || png[24] !== 8 || png[28] !== 0) throw new Error("not a picture of Chromium");
  return { width, height, step, pixels: unfilter(inflateSync(Buffer.concat(data)), width * step, step) };
}

/** Undoes the filters of the lines, each a difference to the pixels at its left and above. */
function unfilter(lines: Buffer, width: number, step: number): Uint8Array {
  const height = lines.length / (width + 1);
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (width + 1)] ?? 0;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const left = x >= step ? (pixels[at - step] ?? 0) : 0;
      const up = y > 0 ? (pixels[at - width] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (pixels[at - width - step] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = (lines[y * (width + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(left + up - corner - value)) as [
    number,
    number,
    number,
  ];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
