/**
 * Kills every server and its children when this process ends in any way, SIGKILL included. A small shell in its own
 * session reads a pipe from us. When the pipe closes, it kills the process groups on its list, then every process that
 * carries our mark. Ended groups are removed from the list, so that a reused id is never killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { here, type Platform } from "../../base/platform.js";
import { ownerMark, SERVER_DIGITS } from "./process-tree.js";

/** The rounds limit the search for processes that start others faster than they are killed. */
const SCRIPT = `
trap '' INT TERM HUP
mark=$1
limit="^Max realtime timeout  *$2 "
groups=
while read -r op id; do
  case $op in
    +) groups="$groups $id" ;;
    -) kept=; for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done; groups=$kept ;;
  esac
done
marked() {
  if [ -r /proc/self/environ ]; then
    for f in $(grep -lsF -e "$mark" /proc/[0-9]*/environ; grep -ls -e "$limit" /proc/[0-9]*/limits); do
      f=\${f#/proc/}; echo "\${f%/*}"
    done
  else
    ps -A -E -ww -o pid=,command= | while read -r pid rest; do
      case $rest in *LSP_PROXY_MARK="$mark"*) echo "$pid" ;; esac
    done
  fi
}
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
for round in 1 2 3 4 5; do
  found=$(marked)
  [ -n "$found" ] || break
  for p in $found; do kill -s KILL "$p" 2>/dev/null; done
done
`;

/** The shell is started again this often when it ends: a system may refuse every shell. */
const MAX_RESTARTS = 5;

export class Guardian {
  /** The common beginning of the marks of all servers. */
  readonly mark = ownerMark();
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;
  #starting: NodeJS.Immediate | undefined;
  #restarts = 0;

  /** `onLost` is called when the shell could not run or ended. */
  constructor(
    private readonly onLost: (reason: string) => void,
    private readonly platform: Platform = here,
  ) {}

  add(group: number): void {
    if (!this.platform.hasProcessGroups) return;
    this.#groups.add(group);
    // In the next turn: starting a process takes time, and the server should get its first message before.
    if (this.#shell) this.#write(`+ ${group}\n`);
    else this.#starting ??= setImmediate(() => this.#start());
  }

  remove(group: number): void {
    if (this.#groups.delete(group)) this.#write(`- ${group}\n`);
  }

  /** Ends the shell, which kills what is still on its list. */
  close(): void {
    clearImmediate(this.#starting);
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): void {
    this.#starting = undefined;
    const shell = spawn(
      "/bin/sh",
      ["-c", SCRIPT, "sh", this.mark.text, this.mark.number + "[0-9]".repeat(SERVER_DIGITS)],
      {
        detached: true,
        stdio: ["pipe", "ignore", "ignore"],
        env: { PATH: "/usr/bin:/bin" },
        cwd: "/",
      },
    );
    this.#shell = shell;
    const lost = (reason: string): void => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      this.onLost(reason);
      if (this.#groups.size > 0 && this.#restarts++ < MAX_RESTARTS) this.#start();
    };
    shell.on("error", (error) => lost(error.message));
    shell.on("exit", () => lost("the guard ended"));
    shell.stdin.on("error", () => lost("the guard closed its pipe"));
    shell.unref();
    if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();
    this.#write([...this.#groups].map((group) => `+ ${group}\n`).join(""));
  }

  #write(text: string): void {
    if (text !== "") this.#shell?.stdin?.write(text);
  }
}
