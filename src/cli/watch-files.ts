/** Notices changes of a few files by polling: every kind of save, and files that do not exist yet, on each platform. */
import { existsSync } from "node:fs";
import { stampFrom, statOf } from "../base/file-stamp.js";

const CHECK_MS = 1_000;

/** Equal while none of the files has changed. */
export function stampsOf(files: Iterable<string>): string {
  return [...files].map((file) => stampFrom(statOf(file))?.text ?? "").join("\n");
}

/** Calls the listener when one of the files has changed. Gives the function that ends the watch. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  let known = stampsOf(files);
  const timer = setInterval(() => {
    const now = stampsOf(files);
    if (now === known) return;
    known = now;
    onChange();
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Calls the listener when a folder is gone. Gives the function that ends the watch. */
export function watchFolder(folder: string, onGone: () => void): () => void {
  const timer = setInterval(() => {
    if (!existsSync(folder)) onGone();
  }, CHECK_MS);
  return () => clearInterval(timer);
}
