/** Runs a command in this process with streams that a test holds: a terminal whose person types, a pipe, or a client. */
import { PassThrough, Writable } from "node:stream";
import { main } from "../../src/cli/main.js";
import { StreamTransport } from "../../src/mcp/stream-transport.js";
import { assertValidAnswers, repository, testEnvironment } from "../live/session.js";
import type { Run } from "./run.js";

// Every `serve` in this process listens for signals until the process ends.
process.setMaxListeners(0);

export interface HereOptions {
  cwd?: string;
  env?: { [name: string]: string };
  /** Whether it gets only these variables, and none of those of the tests. */
  isWholeEnv?: boolean;
}

export interface HereInput {
  /** What a person types at the terminal, which makes it one: all at once, or a line for each question when it is asked. */
  typed?: string | string[];
  /** The width of that terminal. */
  columns?: number;
  /** What a pipe brings. */
  input?: string;
}

export async function runHere(args: string[], options: HereOptions & HereInput = {}): Promise<Run> {
  const isTTY = options.typed !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const answers = Array.isArray(options.typed) ? [...options.typed] : undefined;
  // A question begins to read, and stops when it has its line.
  if (answers !== undefined) stdin.on("resume", () => setImmediate(() => typeNext(stdin, answers)));
  else stdin.end(options.typed ?? options.input ?? "");
  const [stdout, stderr] = [collector(isTTY, options.columns), collector(isTTY, options.columns)];
  const { cwd, env } = surroundings(options);
  const code = await main(args, { stdin, stdout: stdout.stream, stderr: stderr.stream, env, cwd });
  assertValidAnswers(stderr.text());
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function typeNext(stdin: PassThrough, answers: string[]): void {
  const next = answers.shift();
  if (next !== undefined) stdin.write(`${next}\n`);
  if (answers.length === 0) stdin.end();
}

/** `serve` with these words: the client's end of its streams, and how to end it. */
export function serveHere(words: string[], options: HereOptions & { command?: string } = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stderr = collector(false);
  const ended = main([options.command ?? "serve", ...words], {
    stdin,
    stdout,
    stderr: stderr.stream,
    ...surroundings(options),
  });
  const end = async () => {
    stdin.end();
    await ended;
    assertValidAnswers(stderr.text());
  };
  return { transport: new StreamTransport(stdout, stdin), end };
}

function surroundings({ cwd = repository, env, isWholeEnv = false }: HereOptions) {
  return { cwd, env: { ...(isWholeEnv ? {} : testEnvironment()), NO_COLOR: "1", ...env } };
}

/** A stream that keeps what is written to it, and has it at once. */
function collector(isTTY: boolean, columns?: number) {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _encoding: BufferEncoding, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  const stream = Object.assign(new Writable({ write }), {
    isTTY,
    ...(columns === undefined ? {} : { columns }),
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
