/** Why a server did not start: its program is too old, or the line of its output that says it. */
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ServerPlan } from "../../abi/plan.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import type { PoolContext } from "../types.js";
import { redact } from "../wire/redact.js";
import { isAtLeast, packageVersion } from "./package-version.js";

/** The log message of a failed start. */
export const START_FAILED = "server did not start";

/** Lines that tell where or in which version something failed, not what. */
const LOCATION = /^\s*(?:at |File "|Node\.js v|Traceback|stack backtrace|note: |\d+: |[\^~}{)(\]["\s]+$)/;
const REASON =
  /error|exception|fatal|panic|fail|cannot|can't|could not|unable|not found|no such|unknown|unrecognized|unsupported|invalid|missing|requires?\b|denied|must be/i;
/** Marks that the proxy itself sets before a line. */
const OWN_MARK = /^\[\w+\] /;

/** The line of a server's output that says why it ended: the last that names an error, else the last. */
export function reasonIn(stderr: readonly string[], roots: readonly string[]): string | undefined {
  const lines = stderr
    .map((line) => stripVTControlCharacters(line).replace(OWN_MARK, "").trimEnd())
    .filter((line) => line.trim() !== "" && !LOCATION.test(line));
  const line = lines.findLast((candidate) => REASON.test(candidate)) ?? lines.at(-1);
  return line === undefined ? undefined : redact(line.trim(), roots);
}

/** Refuses a program of a node package that is older than the server needs. Nothing is started to find out. */
export function assertRecent(
  { id, minVersion, command, args, install }: ServerPlan,
  program: string,
  otherServer: PoolContext["otherServer"],
): void {
  if (minVersion === null || !realpathSync.native(program).split(sep).includes("node_modules")) return;
  const found = packageVersion(program);
  if (found === undefined || isAtLeast(found, minVersion)) return;
  const [name = "", ...words] = [...command, ...args];
  const what = words.length === 0 ? "the server" : `\`${words[0]}\``;
  throw new Refusal(
    "lsp/not-installed",
    `server "${id}" cannot be started: \`${name}\` here is ${found}; ${what} needs ${minVersion} or later`,
    { nextSteps: install === null ? [] : stepsFor(install, otherServer?.(install)) },
  );
}

/** The server for the project's version, where there is one; else a newer version of this one. */
function stepsFor(install: string, other: string | undefined): NextStep[] {
  if (other === undefined) return [{ kind: "command", text: install }];
  return [
    { kind: "command", text: `lsp-proxy install ${other}` },
    { kind: "config", text: `Write \`kind = "${other}"\` for this server in the config.` },
  ];
}
