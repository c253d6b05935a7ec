/** Appends the URL of every module that a process imports to a file: `node --import` this, with MODULE_TRACE naming the file. */
import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

// Node runs the hooks below in a thread of its own.
if (isMainThread) register(import.meta.url);

export function load(url, context, nextLoad) {
  appendFileSync(process.env.MODULE_TRACE, `${url}\n`);
  return nextLoad(url, context);
}
