/**
 * When V8 compiles. It waits until a function has run for long; but a call of a tool runs some hundred functions once each, so that
 * thousands of calls are interpreted before the last of them is compiled, and few agents ever make so many.
 */
import { setFlagsFromString } from "node:v8";

/**
 * By V8's major version, since it calls a flag that it does not know an error, on stderr: a sixth of what it waits for by
 * itself. From 13 on there is a compiler in between, and nothing to gain.
 */
const flags = new Map([
  ["11", "--interrupt-budget=10000"],
  ["12", "--invocation-count-for-turbofan=500"],
]);

export function compileEarly(): void {
  const [major = ""] = process.versions.v8.split(".");
  const flag = flags.get(major);
  if (flag !== undefined) setFlagsFromString(flag);
}
