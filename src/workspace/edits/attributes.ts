/**
 * Extended attributes and access lists, which Node cannot read: the system's own `cp` carries them from one file to another.
 * Where there is none that can (Windows, small systems), a new file has none, and nobody can tell whether the old one had.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

const program = "/bin/cp";
const words: { [platform: string]: string[] } = {
  linux: ["--attributes-only", "--preserve=mode,xattr", "--"],
  // It copies the content too, which is written over.
  darwin: ["-p", "--"],
};
const MOST_MS = 10_000;

/** Whether there is a `cp` that can; undefined until one has failed. */
let isAble: boolean | undefined;

/** Gives a file the attributes of another; false when it is known that some of them were lost. */
export async function copyAttributes(from: string, to: string): Promise<boolean> {
  const own = words[process.platform];
  if (own === undefined || isAble === false) return true;
  if (await succeeds([...own, seenByOthers(from), seenByOthers(to)])) return true;
  // Only a `cp` that knows these words fails because of the file.
  isAble ??= process.platform === "darwin" || (await succeeds(["--version"]));
  return !isAble;
}

/** A path through a folder that this process has open, as another process names it. */
function seenByOthers(path: string): string {
  return resolve(path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`));
}

async function succeeds(args: string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: "ignore", env: {}, timeout: MOST_MS, killSignal: "SIGKILL" });
  try {
    const [code] = await once(child, "close");
    return code === 0;
  } catch {
    return false;
  }
}
