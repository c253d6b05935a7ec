/** Runs a command in this process with streams that a test holds: a terminal whose person types, or none. */
import { PassThrough } from "node:stream";
import { main } from "../../src/cli/main.js";
import { assertValidAnswers, testEnvironment } from "../live/session.js";

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the words; `typed` makes it a terminal at which a person types that. */
export async function runHere(
  args: string[],
  options: { cwd: string; typed?: string; env?: { [name: string]: string } },
): Promise<Outcome> {
  const isTTY = options.typed !== undefined;
  const stream = () => Object.assign(new PassThrough(), { isTTY });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  const text = { stdout: "", stderr: "" };
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text.stdout += chunk;
  });
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text.stderr += chunk;
  });
  stdin.end(options.typed ?? "");
  const env = { ...testEnvironment(), NO_COLOR: "1", ...options.env };
  const code = await main(args, { stdin, stdout, stderr, env, cwd: options.cwd });
  assertValidAnswers(text.stderr);
  return { code, ...text };
}
