/** Reads, explains, asks for and records trust in a workspace. */
import { homeOf } from "../base/home.js";
import { slashed } from "../base/paths.js";
import { ConfigError } from "../base/problem.js";
import { diskFiles } from "../config/files.js";
import { inspectDiscovered } from "../config/load.js";
import {
  addTrusted,
  addTrustedFolder,
  isTrusted,
  isTrustedFolder,
  openTrust,
} from "../config/trust/trust.js";
import { everyDefault } from "../plan/defaults.js";
import type { Io } from "./command.js";
import { withStateLock } from "./files/state-lock.js";
import { projectBins } from "./folder-trust.js";
import { shippedConfigs } from "./shipped.js";
import { confirm, isInteractive } from "./terminal/prompt.js";

/** The permissions that trust in a folder gives, whatever its config says. */
const CONSEQUENCES = [
  `programs in its ${projectBins("").map(slashed).join(", ")} may be started`,
  "packages, plugins, configuration files and build scripts in it may run as code, with your permissions",
  "this also applies to files that are added later",
];

export interface WorkspaceTrust {
  workspace: string;
  /** The config that is found in it, as it was read. */
  found: ReturnType<typeof inspectDiscovered>;
  /** Whether the folder is trusted, and the config with this content. */
  isTrusted: boolean;
}

/** A file's content, used instead of what is on disk. */
interface FileText {
  file: string;
  text: string | Uint8Array;
}

/** Reads the config of a workspace and its trust. Throws a ConfigError when the config is outside the workspace. */
export function inspectTrust(workspace: string, io: Io, content?: FileText): WorkspaceTrust {
  const home = homeOf(io.env);
  const store = openTrust(io.env, home);
  const replaced = content === undefined ? undefined : diskFiles.realpath(content.file);
  const read = (path: string) => (path === replaced ? content?.text : diskFiles.read(path));
  const request = { workspace, env: io.env, home, shipped: shippedConfigs, defaults: everyDefault() };
  const found = inspectDiscovered({ ...request, commandLine: {} }, { ...diskFiles, read });
  const isConfigTrusted = found === undefined || isTrusted(store, found.file, found.hash);
  return { workspace, found, isTrusted: isConfigTrusted && isTrustedFolder(store, workspace) };
}

/** All that trust would allow, line by line. Throws a ConfigError when the config has problems. */
export function grantLines({ workspace, found }: WorkspaceTrust): string[] {
  if (found === undefined) return [workspace, ...CONSEQUENCES.map((line) => `  ${line}`)];
  if (found.problems.length > 0) throw new ConfigError(found.problems);
  const { starts, asks, settings } = found.grants;
  return [
    found.file,
    ...found.ignored.map((name) => `  this file is used; ${name} is ignored`),
    ...starts.map((program) => `  it may start ${program}`),
    ...asks.map((permission) => `  it asks for ${permission}`),
    ...settings.map((setting) => `    ${setting}`),
    ...found.held.map(({ message, pointer }) => `  even then ${pointer}: ${message}`),
    workspace,
    ...CONSEQUENCES.map((line) => `  ${line}`),
  ];
}

/** Records the trust in the folder, and in its config as it was read. */
export async function recordTrust({ workspace, found }: WorkspaceTrust, io: Io): Promise<void> {
  const store = openTrust(io.env, homeOf(io.env));
  await withStateLock(io, () => {
    if (found) addTrusted(store, found.file, found.hash);
    addTrustedFolder(store, workspace);
  });
}

/**
 * Shows on the terminal what trust would allow, asks, and records a yes. Without a terminal the answer is no. So is an
 * empty line: trust lets a repository's code run.
 */
export async function askForTrust(state: WorkspaceTrust, io: Io): Promise<boolean> {
  if (!isInteractive(io)) return false;
  for (const line of grantLines(state)) io.stderr.writeLine(line);
  if (!(await confirm(io, "Trust it now?"))) return false;
  await recordTrust(state, io);
  return true;
}

/**
 * After a command of ours has changed the workspace's config: keeps the trust that was there before, or asks for it.
 */
export async function keepOrAskTrust(
  before: WorkspaceTrust,
  content: FileText,
  io: Io,
  asks = true,
): Promise<void> {
  const now = inspectTrust(before.workspace, io, content);
  if (before.isTrusted && isUsable(now)) await recordTrust(now, io);
  else await askOrHint(now, io, asks);
}

/** Asks on a terminal; where there is none or the answer is no, says how to trust later. */
export async function askOrHint(state: WorkspaceTrust, io: Io, asks = true): Promise<void> {
  if (state.isTrusted || (asks && isUsable(state) && (await askForTrust(state, io)))) return;
  io.stdout.writeLine("`lsp-proxy trust` lets it start programs");
}

function isUsable({ found }: WorkspaceTrust): boolean {
  return found === undefined || found.problems.length === 0;
}
