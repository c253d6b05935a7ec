/**
 * The arguments, options and settings with which a server is started for a root. Servers load code from the placeholder
 * `<node_modules>`: in an untrusted workspace that is a folder of the program itself, never one of the workspace. A
 * server that would still run the workspace's code is not started.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { statOf } from "../../base/file-stamp.js";
import { fromPointer, getAt, isTable, type Json, type JsonObject, mergeOver } from "../../base/json.js";
import { fillPlaceholders, type Placeholders } from "../../base/placeholders.js";
import { here } from "../../base/platform.js";
import { type NextStep, Refusal } from "../../base/problem.js";
import { type PythonContext, pythonOf } from "./python-environment.js";
import { confinesUntrusted } from "./sandbox.js";
import { isInAny, isTrustedStart, type ServerStart, trustStep, untrustedFolders } from "./trusted.js";

export interface LaunchSettings {
  /** `initializationOptions`. */
  options: Json;
  settings: JsonObject;
  /** The settings for another folder that the server serves. */
  settingsFor(folder: string): JsonObject;
}

/** The settings of a server. Throws a Refusal when it would run code of an untrusted workspace. */
export function launchSettings(start: ServerStart<ServerPlan, PythonContext>): LaunchSettings {
  const { server, root, context } = start;
  const isTrusted = isTrustedStart(server, root, context);
  const toTrust = trustStep(root, context);
  const { untrusted, sandbox, initializeOptions, settings } = server;
  if (!isTrusted && (!untrusted.start || hasAddedCode(server)) && !confinesUntrusted(sandbox)) {
    throw new Refusal(
      "lsp/not-allowed",
      `server "${server.id}" may run code of the workspace that it reads, and this one is not trusted`,
      {
        nextSteps: [
          toTrust,
          { kind: "config", text: 'Or confine it: `sandbox = "read_only_no_network"` of the server.' },
        ],
      },
    );
  }
  const over = isTrusted ? { initializeOptions: {}, settings: {} } : untrusted;
  const paths = placeholdersOf(start);
  const namesFor =
    (folder: string): Placeholders =>
    (name, rest) =>
      name === "python" ? (pythonOf(server, folder, context) ?? null) : paths(name, rest);
  const options = fillPlaceholders(optionsUnder(initializeOptions, over.initializeOptions), namesFor(root));
  if (!isTrusted) assertLoads(server, options, toTrust);
  const settingsFor = (folder: string) =>
    fillPlaceholders(mergeOver(settings, over.settings), namesFor(folder));
  return { options, settings: settingsFor(root), settingsFor };
}

/** Whether the config adds code to the server, such as plugins, that may look into the workspace. */
function hasAddedCode({ untrusted, initializeOptions, settings }: ServerPlan): boolean {
  const table = { initialize_options: initializeOptions, workspace_configuration: settings };
  return untrusted.without.some((pointer) => {
    const added = getAt(table, fromPointer(pointer));
    return added !== undefined && added !== null && Object.keys(added).length > 0;
  });
}

/** Refuses a server whose options name no existing code: it would then look for the code in the workspace. */
function assertLoads(server: ServerPlan, options: Json, toTrust: NextStep): void {
  for (const [pointer, file] of Object.entries(server.untrusted.loads)) {
    const path = getAt(options, fromPointer(pointer));
    const folder = typeof path === "string" && isAbsolute(path) ? path : undefined;
    if (folder !== undefined && existsSync(basename(folder) === file ? folder : join(folder, file))) continue;
    const where = `where \`initialize_options${pointer.replaceAll("/", ".")}\` says`;
    throw missingPackage(server, file, where, toTrust);
  }
}

function optionsUnder(options: Json, over: JsonObject): Json {
  if (Object.keys(over).length === 0) return options;
  return mergeOver(isTable(options) ? (options as JsonObject) : {}, over);
}

/** The parts of a server plan that decide where packages are looked for. */
export type ServerCommand = Pick<ServerPlan, "id" | "command" | "args"> &
  Partial<Pick<ServerPlan, "workspaceFolders" | "rootDir">>;

/** The placeholder values for one root. Throws a Refusal where an untrusted workspace gives none. */
export function placeholdersOf({ server, root, program, context }: ServerStart<ServerCommand>): Placeholders {
  if (isTrustedStart(server, root, context)) {
    const folders = modulesFrom(root, []);
    // If the project lacks the file, the server's own copy is used.
    const find = (rest: string) =>
      [...folders, ...ownModules(server, program, [])].find((folder) => existsSync(join(folder, rest)));
    return (name, rest) => {
      if (name !== "node_modules") return name === "workspace" ? root : undefined;
      return find(rest) ?? folders[0] ?? join(root, "node_modules");
    };
  }
  const untrusted = untrustedFolders(context);
  const folders = ownModules(server, program, untrusted);
  return (name, rest) => {
    if (name !== "node_modules") return name === "workspace" ? root : undefined;
    const found = folders.find((folder) => isUsable(join(folder, rest), untrusted));
    if (found !== undefined) return found;
    const owner = server.command[0] === undefined ? "this Node" : `\`${server.command[0]}\``;
    const what = rest.replace(/^[\\/]/, "") || "node_modules";
    throw missingPackage(server, what, `beside ${owner}`, trustStep(root, context));
  };
}

/** The arguments of a server's program. Throws a Refusal when its script is untrusted and not confined. */
export function commandArguments({ server, root, context }: ServerStart, names: Placeholders): string[] {
  const words = fillPlaceholders([...server.command.slice(1), ...server.args], names);
  const untrusted = confinesUntrusted(server.sandbox) ? [] : untrustedFolders(context);
  const script = scriptIn(words);
  if (script === undefined || isUsable(script, untrusted)) return words;
  throw new Refusal(
    "lsp/not-allowed",
    `server "${server.id}" is started with \`${basename(script)}\`, which lies in the workspace, and that is not trusted`,
    { nextSteps: [trustStep(root, context)] },
  );
}

/** Files named in `<node_modules>` that are neither beside the server's program nor at or above the root. */
export function missingModuleFiles(
  files: readonly string[],
  server: ServerCommand,
  program: string,
  { root, untrusted }: { root: string | undefined; untrusted: readonly string[] },
): string[] {
  const own = ownModules(server, program, untrusted);
  const folders = root === undefined ? own : [...own, ...modulesFrom(root, [])];
  return files.filter((file) => !folders.some((folder) => existsSync(join(folder, file))));
}

/** The `node_modules` folders beside the script in its arguments, beside the program, and of this Node. */
function ownModules(
  { command, args }: ServerCommand,
  program: string | undefined,
  untrusted: readonly string[],
): string[] {
  const script = scriptIn([...command.slice(1), ...args]);
  const beside = [script, program].flatMap((file) =>
    file === undefined ? [] : modulesFrom(dirname(realpathSync.native(file)), untrusted),
  );
  const node = dirname(realpathSync.native(process.execPath));
  const shared =
    here.os === "windows" ? join(node, "node_modules") : join(dirname(node), "lib", "node_modules");
  return [...beside, ...(isUsable(shared, untrusted) ? [shared] : [])];
}

/** Each `node_modules` at or above a folder, nearest first, without untrusted ones and those of other users. */
function modulesFrom(from: string, untrusted: readonly string[]): string[] {
  const owners = new Set([process.getuid?.(), 0, statOf(from)?.uid]);
  const found: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    const stats = statOf(modules);
    if (stats !== undefined && owners.has(stats.uid) && isUsable(modules, untrusted)) found.push(modules);
    if (dirname(folder) === folder) return found;
  }
}

/** Whether a path exists and, after following links, is in no untrusted folder. */
function isUsable(path: string, untrusted: readonly string[]): boolean {
  return existsSync(path) && !isInAny(path, untrusted);
}

/** The script of a program that runs scripts: the first file that its arguments name. */
function scriptIn(words: readonly string[]): string | undefined {
  return words.find((word) => isAbsolute(word) && statOf(word)?.isFile());
}

/** The refusal of a server that would load a missing package from the untrusted workspace. */
function missingPackage(
  { id }: Pick<ServerCommand, "id">,
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
