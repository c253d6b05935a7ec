/** Notices when a config that no hub could use has been corrected. */
import { stampsOf } from "../watch-files.js";

const CHECK_MS = 2_000;

/** Reads the config and notes the files that it reads, also when it has problems. Rejects then. */
type Read = (files: Set<string>) => Promise<unknown>;

/**
 * Calls the listener when the config can be used. It is read again only after one of its files has changed, and in this
 * process: no hub is started in vain. Gives the function that ends the watch.
 */
export function whenUsable(readConfig: Read, listener: () => void): () => void {
  const files = new Set<string>();
  let known: string | undefined;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const look = async () => {
    const stamps = stampsOf(files);
    if (stamps === known) return;
    const read = new Set<string>();
    const isUsable = await readConfig(read).then(
      () => true,
      () => false,
    );
    // The stamps must be older than what was read: with a file that is new here, all is read once more.
    const isStamped = read.size > 0 && [...read].every((file) => files.has(file));
    known = isStamped ? stamps : undefined;
    for (const file of read) files.add(file);
    if (isUsable && !isOver) listener();
  };
  const lookLater = () => {
    timer = setTimeout(() => void look().then(() => isOver || lookLater()), CHECK_MS).unref();
  };
  lookLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
