/**
 * Ends every server with all that it started when this process is gone, however it went, SIGKILL included. One tiny shell
 * (about 1 MB) in a session of its own holds the read end of a pipe; when the pipe closes, it kills the groups on its
 * list, and then what carries our mark, in its environment or as a limit, also in groups of its own. Group ids are taken off the list as
 * soon as the group has ended, so that a reused id is never hit.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { ownerMark, SERVER_DIGITS } from "./process-tree.js";

/** Rounds bound the hunt for processes that start others faster than they are killed. */
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

/** A guard that is lost is replaced, but not for ever: a system may refuse every shell. */
const MOST_LOST = 5;

export class Guardian {
  /** What the marks of all servers begin with. */
  readonly mark = ownerMark();
  readonly #groups = new Set<number>();
  readonly #onLost: (reason: string) => void;
  #shell: ChildProcess | undefined;
  #starting: NodeJS.Immediate | undefined;
  #lost = 0;

  /** `onLost` hears when the guard itself could not run. */
  constructor(onLost: (reason: string) => void) {
    this.#onLost = onLost;
  }

  /** Watches over a process group. */
  add(group: number): void {
    if (process.platform === "win32") return;
    this.#groups.add(group);
    // In the next turn: to start a process takes a while, and the server has its first message to read meanwhile.
    if (this.#shell) this.#tell(`+ ${group}\n`);
    else this.#starting ??= setImmediate(() => this.#start());
  }

  /** Forgets a group that has ended. */
  remove(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}\n`);
  }

  /** Ends the guard; what is still on its list is killed. */
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
