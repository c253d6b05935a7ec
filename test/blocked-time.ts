/** How long the built program blocks: starts it with a hook that measures, and reads what that wrote. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** No text makes a call pass its deadline by more than this: no turn of the event loop may take longer. */
export const MAX_BLOCKED_MS = 1_000;

/** Measures the programs that are started with its arguments, one at a time. */
export class BlockedTime {
  /** Outside of the workspaces, whose files are watched. */
  readonly #file = join(mkdtempSync(join(tmpdir(), "lsp-proxy-blocked-")), "times.json");

  /** Arguments of Node for the next program. */
  args(): string[] {
    rmSync(this.#file, { force: true });
    return ["--import", `${new URL("./blocked-time.mjs", import.meta.url).href}?file=${this.#file}`];
  }

  /** What the last program took in one go at the most, and in all: milliseconds of processor time. */
  read(): { longestMs: number; totalMs: number } {
    return JSON.parse(readFileSync(this.#file, "utf8"));
  }

  close(): void {
    rmSync(dirname(this.#file), { recursive: true, force: true });
  }
}
