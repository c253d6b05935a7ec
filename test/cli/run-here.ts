/** Runs a command in this process: for tests that need what it does, not the program as a whole. It must start no process. */
import { PassThrough } from "node:stream";
import { main } from "../../src/cli/main.js";
import { repository, testEnvironment } from "../live/session.js";
import type { Run, RunOptions } from "./run.js";

export async function runHere(args: string[], { cwd = repository, env }: RunOptions = {}): Promise<Run> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const texts = [stdout, stderr].map(async (stream) => {
    let text = "";
    for await (const piece of stream.setEncoding("utf8")) text += piece;
    return text;
  });
  stdin.end();
  const code = await main(args, { stdin, stdout, stderr, env: { ...testEnvironment(), ...env }, cwd });
  for (const stream of [stdout, stderr]) stream.end();
  const [printed = "", reported = ""] = await Promise.all(texts);
  return { code, stdout: printed, stderr: reported };
}
