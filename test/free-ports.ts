/**
 * Ports for programs that must be told theirs. They are below those that the system gives to sockets without a number, so that
 * no other process takes one between this search and the program's start.
 */
import { createServer } from "node:net";

/** `fetch` and browsers refuse some lower ones. */
const [FIRST, END] = [11_000, 32_000];

/** The first of so many free ports in a row. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (END - FIRST - count));
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
}

export function freePort(): Promise<number> {
  return freePorts(1);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const listener = createServer();
    listener.once("error", () => done(false));
    listener.listen(port, "127.0.0.1", () => listener.close(() => done(true)));
  });
}
