/**
 * The paths that a server's words and settings name by a word of ours: `<workspace>`, `<node_modules>`. Servers load code from
 * where the second one leads, so that of a workspace counts once it is trusted. Until then it is one of the program's own in
 * which the named file really is. Where there is none nothing is started: the server would look in the workspace by itself.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { type NamedPaths, withNamedPaths } from "../../base/named-paths.js";
import { isInside } from "../../base/paths.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import { holdsStrangers } from "./sandbox.js";
import { isTrustedStart, strangersOf, type TrustContext, trustStep } from "./trusted.js";

/** What decides where packages are looked for. */
export type Started = Pick<ServerPlan, "id" | "command" | "args"> &
  Partial<Pick<ServerPlan, "workspaceFolders" | "rootDir">>;

/**
 * The named paths of a server for one root; one that runs elsewhere has no program. Of a workspace that is not trusted a name
 * that cannot be filled in throws a Refusal.
 */
export function namedPathsOf(
  server: Started,
  root: string,
  program: string | undefined,
  context: TrustContext,
): NamedPaths {
  if (isTrustedStart(server, root, context)) {
    const own = modulesFrom(root, [])[0] ?? join(root, "node_modules");
    return (name) => (name === "workspace" ? root : name === "node_modules" ? own : undefined);
  }
  const strangers = strangersOf(context);
  const folders = ownModules(server, program, strangers);
  return (name, rest) => {
    if (name !== "node_modules") return name === "workspace" ? root : undefined;
    const found = folders.find((folder) => isOurs(join(folder, rest), strangers));
    if (found !== undefined) return found;
    const whom = server.command[0] === undefined ? "this Node" : `\`${server.command[0]}\``;
    const what = rest.replace(/^[\\/]/, "") || "node_modules";
    throw strangeCode(server, what, `beside ${whom}`, trustStep(root, context));
  };
}

/**
 * The words that a server's program is started with. A script is as much the program as what runs it: where the first file that
 * they name is a stranger's, this throws a Refusal, unless whatever it does is held.
 */
export function startWords(
  server: ServerPlan,
  root: string,
  names: NamedPaths,
  context: TrustContext,
): string[] {
  const words = withNamedPaths([...server.command.slice(1), ...server.args], names);
  const strangers = holdsStrangers(server.sandbox) ? [] : strangersOf(context);
  const script = scriptIn(words);
  if (script === undefined || isOurs(script, strangers)) return words;
  throw new Refusal(
    "lsp/not-allowed",
    `server "${server.id}" is started with \`${basename(script)}\`, which lies in the workspace, and that is not trusted`,
    { nextSteps: [trustStep(root, context)] },
  );
}

/** Which of the files that a server names in `<node_modules>` it would find neither beside its program nor at or above the root. */
export function lackingModules(
  files: readonly string[],
  server: Started,
  program: string,
  { root, strangers }: { root: string | undefined; strangers: readonly string[] },
): string[] {
  const own = ownModules(server, program, strangers);
  const folders = root === undefined ? own : [...own, ...modulesFrom(root, [])];
  return files.filter((file) => !folders.some((folder) => existsSync(join(folder, file))));
}

/**
 * The `node_modules` that a program would itself load from: beside the script that its words name, beside itself, and those
 * that are installed for all of this Node's programs.
 */
function ownModules(
  { command, args }: Started,
  program: string | undefined,
  strangers: readonly string[],
): string[] {
  const script = scriptIn([...command.slice(1), ...args]);
  const beside = [script, program].flatMap((file) =>
    file === undefined ? [] : modulesFrom(dirname(realpathSync(file)), strangers),
  );
  const node = dirname(realpathSync(process.execPath));
  const shared =
    process.platform === "win32" ? join(node, "node_modules") : join(dirname(node), "lib", "node_modules");
  return [...beside, ...(isOurs(shared, strangers) ? [shared] : [])];
}

/** Each `node_modules` at or above a folder, the nearest first; a stranger's, or another user's, does not count. */
function modulesFrom(from: string, strangers: readonly string[]): string[] {
  const owners = new Set([process.getuid?.(), 0, statSync(from, { throwIfNoEntry: false })?.uid]);
  const found: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    const facts = statSync(modules, { throwIfNoEntry: false });
    if (facts !== undefined && owners.has(facts.uid) && isOurs(modules, strangers)) found.push(modules);
    if (dirname(folder) === folder) return found;
  }
}

/** Whether a path is there and, whatever links lead to it, in no stranger's folder. */
function isOurs(path: string, strangers: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  const names = [path, realpathSync(path)];
  return !names.some((name) => strangers.some((strange) => isInside(name, strange)));
}

/** What a program that runs scripts would take for one: the first file that its words name. */
function scriptIn(words: readonly string[]): string | undefined {
  return words.find((word) => isAbsolute(word) && isFile(word));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The refusal of a server that would look in the workspace for what is not where it should be. */
export function strangeCode(
  { id }: Pick<Started, "id">,
  what: string,
  where: string,
  toTrust: NextStep,
): Refusal {
  return new Refusal(
    "lsp/not-allowed",
    `server "${id}" would load code from the workspace, which is not trusted: \`${what}\` was sought ${where} and is not there`,
    {
      nextSteps: [
        toTrust,
        { kind: "doc", text: `Or install the package with \`${what}\` beside that of the server.` },
      ],
    },
  );
}
