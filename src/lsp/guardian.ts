/**
 * Ends every server's process group when this process is gone, however it went, SIGKILL included. One tiny shell
 * (about 1 MB) in a session of its own holds the read end of a pipe; when the pipe closes, it kills what is on its list.
 * Group ids are taken off the list as soon as the group has ended, so that a reused id is never hit.
 */
import { type ChildProcess, spawn } from "node:child_process";

const SCRIPT = `
trap '' INT TERM HUP
groups=
while read -r op id; do
  case $op in
    +) groups="$groups $id" ;;
    -) kept=; for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done; groups=$kept ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
`;

/** A guard that is lost is replaced, but not for ever: a system may refuse every shell. */
const MOST_LOST = 5;

export class Guardian {
  readonly #groups = new Set<number>();
  readonly #onLost: (reason: string) => void;
  #shell: ChildProcess | undefined;
  #lost = 0;

  /** `onLost` hears when the guard itself could not run. */
  constructor(onLost: (reason: string) => void) {
    this.#onLost = onLost;
  }

  /** Watches over a process group. */
  add(group: number): void {
    if (process.platform === "win32") return;
    this.#groups.add(group);
    if (this.#shell) this.#tell(`+ ${group}\n`);
    else this.#start();
  }

  /** Forgets a group that has ended. */
  remove(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}\n`);
  }

  /** Ends the guard; what is still on its list is killed. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): void {
    const shell = spawn("/bin/sh", ["-c", SCRIPT], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: {},
      cwd: "/",
    });
    this.#shell = shell;
    const lost = (reason: string): void => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      this.#onLost(reason);
      if (this.#groups.size > 0 && this.#lost++ < MOST_LOST) this.#start();
    };
    shell.on("error", (error) => lost(error.message));
    shell.on("exit", () => lost("the guard ended"));
    shell.stdin.on("error", () => lost("the guard closed its pipe"));
    shell.unref();
    if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();
    this.#tell([...this.#groups].map((group) => `+ ${group}\n`).join(""));
  }

  #tell(text: string): void {
    if (text !== "") this.#shell?.stdin?.write(text);
  }
}
