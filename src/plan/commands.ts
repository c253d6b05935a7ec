/** Which programs may be started: bare names or absolute paths, each allowed by name, never a shell's business. */
import type { Report } from "./report.js";

const bareName = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
const absolutePath = /^(\/|[A-Za-z]:[\\/]|\\\\)/;
// Control characters are part of what must not pass.
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const shellSyntax = /[*?[\]{}$;&|<>'"`\u0000-\u001f\u007f]/;

/** Notes what is wrong with a program's name; true when it can be allowed at all. */
export function checkProgram(program: string, pointer: string, report: Report): boolean {
  if (bareName.test(program)) return true;
  const why = absolutePath.test(program)
    ? shellSyntax.test(program)
      ? "contains glob or shell syntax"
      : hasDots(program)
        ? "contains `.` or `..` as a folder"
        : null
    : "is neither a bare name nor an absolute path";
  if (why === null) return true;
  report.add("plan/bad-command", pointer, `The command ${JSON.stringify(program)} ${why}.`);
  return false;
}

function hasDots(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part === ".." || part === ".");
}
