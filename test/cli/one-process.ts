/** Command lines for the built program that need a process beside this one, but not each its own. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { testEnvironment } from "../live/session.js";
import type { Run } from "./run.js";

const script = fileURLToPath(new URL("one-process.mjs", import.meta.url));

/** A process that runs command lines, one at a time. Where one of them ends it or hangs, the next gets a new one. */
export class OneProcess {
  #child: ChildProcess | undefined;

  /** Fails where the process ends, or has no answer within the limit. */
  run(args: string[], cwd: string, limitMs = 25_000): Promise<Run> {
    this.#child ??= fork(script);
    const child = this.#child;
    return new Promise<Run>((resolve, reject) => {
      const fail = (how: string) => {
        // What comes later of this process must not end the next one.
        clearTimeout(timer);
        child.off("exit", onExit);
        this.end();
        reject(new Error(`${args.join(" ")}: ${how}`));
      };
      const onExit = (code: number | null, signal: string | null) => fail(`ended with ${code ?? signal}`);
      const timer = setTimeout(() => fail(`no answer in ${limitMs} ms`), limitMs);
      child.once("exit", onExit).once("message", (answer: Run) => {
        clearTimeout(timer);
        child.off("exit", onExit);
        resolve(answer);
      });
      child.send({ args, cwd, env: testEnvironment() });
    });
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}
