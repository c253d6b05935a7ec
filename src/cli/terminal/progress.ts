/** Tells on stderr what is going on, once it has taken longer than a second. */
import type { Surroundings } from "../command.js";

const PATIENCE_MS = 1_000;

/** Runs the work; on a terminal the line counts the seconds and goes away at the end, elsewhere it is written once. */
export async function withProgress<T>(io: Surroundings, text: string, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const onTerminal = io.stderr.isTTY === true;
  let shown = false;
  const tell = () => {
    if (!onTerminal && shown) return;
    const seconds = Math.round((Date.now() - began) / 1000);
    io.stderr.write(onTerminal ? `\r${text} … ${seconds} s` : `${text} …\n`);
    shown = true;
  };
  const timer = setInterval(tell, PATIENCE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (shown && onTerminal) io.stderr.write("\r\u001b[K");
  }
}
