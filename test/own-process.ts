/** Modules of the source at work in a process of their own: what they do to all of V8, or to the life of a process, shows only there. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { build } from "esbuild";
import { repository } from "./live/session.js";

/** What a script prints; it imports as a module in this folder of the source would. It may open so many files. */
export async function printedIn(
  folder: string,
  contents: string,
  { openFiles }: { openFiles?: number } = {},
): Promise<{ stdout: string; stderr: string }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: `${repository}/src/${folder}` },
    ...{ bundle: true, platform: "node", format: "cjs", target: "node20", write: false },
  });
  const words = [process.execPath, "-e", outputFiles[0]?.text ?? ""];
  const limited = ["/bin/sh", "-c", `ulimit -n ${openFiles}; exec "$@"`, "sh", ...words];
  const [program = "", ...args] = openFiles === undefined ? words : limited;
  return promisify(execFile)(program, args, { timeout: 60_000 });
}
