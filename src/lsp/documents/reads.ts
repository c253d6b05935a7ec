/**
 * Files that are open to be read: on the spot, which takes microseconds for what the system has in memory, where other threads take
 * many times as long to hand each step to and fro; elsewhere as soon as that has held others up, as the disk is slow or the files many.
 */
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";

/** How long others may be held up in one turn of the event loop. */
const QUICK_MS = 5;
/** So many times as long as a slow step took, files are read elsewhere. */
const REST = 20;

/** A file that is open to be read. */
export interface ReadableFile {
  readonly fd: number;
  stat(): Promise<Stats>;
  readFile(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Milliseconds that were spent on the spot in this turn. */
let spentMs = 0;
let elsewhereUntil = 0;

/** Opens a file to be read. */
export async function openToRead(path: string, flags: number): Promise<ReadableFile> {
  const isSlow = spentMs >= QUICK_MS || performance.now() < elsewhereUntil;
  return isSlow ? open(path, flags) : new FileOnTheSpot(onTheSpot(() => openSync(path, flags)));
}

class FileOnTheSpot implements ReadableFile {
  constructor(readonly fd: number) {}

  async stat(): Promise<Stats> {
    return onTheSpot(() => fstatSync(this.fd));
  }

  async readFile(): Promise<Uint8Array> {
    return onTheSpot(() => readFileSync(this.fd));
  }

  async close(): Promise<void> {
    onTheSpot(() => closeSync(this.fd));
  }
}

function onTheSpot<T>(step: () => T): T {
  const began = performance.now();
  try {
    return step();
  } finally {
    const ended = performance.now();
    if (ended - began > QUICK_MS) elsewhereUntil = ended + REST * (ended - began);
    if (spentMs === 0)
      setImmediate(() => {
        spentMs = 0;
      });
    spentMs += ended - began;
  }
}
