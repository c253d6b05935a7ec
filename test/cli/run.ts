/** Runs the built program as a person would: its own process, its own streams. */
import { spawn } from "node:child_process";
import { assertValidAnswers, program, repository, testEnvironment } from "../live/session.js";

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: { [name: string]: string };
  input?: string;
  /** Whether its output is closed before it says anything. */
  deaf?: boolean;
}

/** Runs `lsp-proxy` with these words and waits for its end. Fails when an answer violates its output schema. */
export async function run(args: string[], options: RunOptions = {}): Promise<Run> {
  const ended = await runToEnd(args, options);
  assertValidAnswers(ended.stderr);
  return ended;
}

function runToEnd(args: string[], options: RunOptions): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: options.cwd ?? repository,
      env: { ...testEnvironment(), ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    if (options.deaf) child.stdout.destroy();
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? "");
  });
}
