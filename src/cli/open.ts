/** Opens the runtime of a bundle or a config. For a bundle the compiler is not loaded. */
import { dirname, join, resolve } from "node:path";
import { MANIFEST_FILE } from "../abi/bundle.js";
import { CONFIG_NAMES } from "../base/config-names.js";
import { realPath } from "../base/disk.js";
import { homeOf } from "../base/home.js";
import { sortedSet } from "../base/order.js";
import { ConfigError, type Problem, Refusal } from "../base/problem.js";
import { plural } from "../base/words.js";
import { configFolder, stateFolder } from "../config/state-folder.js";
import { trustCommand } from "../lsp/process/trusted.js";
import type { PoolContext, Trace } from "../lsp/types.js";
import { type LoadedBundle, loadBundle } from "../runtime/bundle/load.js";
import type { MemoryWatch } from "../runtime/memory-watch.js";
import { type ChangedContext, openRuntime, type Runtime } from "../runtime/runtime.js";
import { exitCodes, type Input, type Io } from "./command.js";
import { type FolderTrust, folderTrust } from "./folder-trust.js";
import { openLog, openTrace, type UsualLog } from "./log/log.js";
import { programFolders } from "./program-folders.js";
import type { Load, ServedConfig } from "./served-config.js";
import { executable, shippedConfigs, shippedTemplates, version } from "./shipped.js";
import { shownFile } from "./terminal/shown-file.js";
import { workspaceOf } from "./workspace.js";

const MOST_SHOWN = 5;

export interface Loaded extends FolderTrust {
  loaded: LoadedBundle;
  base: string;
  /** The folder that the config's own relative files start from. */
  folder: string;
  /** The config or bundle, for messages. */
  source: string;
  /** The command that shows the problems of the config; undefined where it has no file. */
  validateCommand: string | undefined;
  files: string[];
  /** The workspace whose trust is on record or can be; undefined for a bundle and for a named config. */
  found?: string | undefined;
  /** Whether the servers are those that fit the files of the workspace and are installed. */
  isScanned: boolean;
  /** Whether the config that was found is still trusted as it was read; true for all others. */
  isStillTrusted: () => boolean;
  otherServer?: PoolContext["otherServer"];
  /** Why every call is refused: the config that was found is not trusted, or has problems. */
  refusal?: Refusal | undefined;
}

export interface OpenOptions {
  /** Whether a found config that is not trusted or has problems leads to refused calls instead of a ConfigError. */
  servesUntrusted?: boolean;
  /** Whether a person may be asked on the terminal for that trust; default: yes. */
  asks?: boolean;
  /** The log level unless the command line gives one. */
  usualLog?: UsualLog;
  /** Whether a changed config is used as soon as it is saved. */
  reloads?: boolean;
  /** The watch of this process's memory, where another runtime has it. */
  memory?: MemoryWatch;
  /** Why this process serves its client alone, where it should share its servers. */
  notShared?: string;
  /** Collects the files that are read, also those of an attempt that fails: its correction is used. */
  files?: Set<string>;
}

export interface Opened extends Loaded {
  runtime: Runtime;
  /** The config with its changes; undefined for a bundle, and for commands that are soon done. */
  config: ServedConfig | undefined;
  trace: Trace | undefined;
}

/** Opens the runtime that the command line asks for. Throws a ConfigError with all problems. */
export async function openFrom(input: Input, io: Io, options: OpenOptions = {}): Promise<Opened> {
  return openLoaded(await loadFrom(input, io, options), input, io, options);
}

/** Opens the runtime of what is loaded. */
export async function openLoaded(
  found: Loaded,
  input: Input,
  io: Io,
  options: OpenOptions = {},
): Promise<Opened> {
  const log = openLog(input, io, options.usualLog ?? "warn");
  let roots: string[] = [];
  let { isScanned } = found;
  const trace = openTrace(input, io, () => roots);
  roots = rootsOf(found);
  const runtime = await openRuntime(found.loaded, {
    ...changedContext(found),
    env: io.env,
    log,
    trace,
    stateFolder: stateFolder(io.env, homeOf(io.env)),
    configFolder: configFolder(io.env, homeOf(io.env)),
    version: version(),
    notShared: options.notShared,
    memory: options.memory,
    onOutOfMemory: (message) => {
      io.stderr.write(`lsp-proxy: ${message}\n`);
      process.exit(exitCodes.fault);
    },
    ...programFolders(io),
    suggestServers: {
      get isListed() {
        return !isScanned;
      },
      file: async (file) => (await import("./presets.js")).serverFor(file),
      workspace: async (root) => (await import("./detect-servers.js")).serversNeeded(root, input, io),
    },
  });
  if (options.reloads !== true || input.text("bundle") !== undefined)
    return { ...found, runtime, trace, config: undefined };
  const { ServedConfig } = await import("./served-config.js");
  const onUsed = (next: Loaded) => {
    roots = rootsOf(next);
    isScanned = next.isScanned;
  };
  const load: Load = (more) => loadFrom(input, io, more);
  const config = new ServedConfig(runtime, found, load, { io, log, onUsed });
  return { ...found, runtime, trace, config };
}

/** The roots of a plan, as written and with their real paths. */
function rootsOf({ base, loaded }: Loaded): string[] {
  const { roots, extraRoots } = loaded.plan.workspace;
  return [...roots.map((root) => resolve(base, root)), ...extraRoots].flatMap(withReal);
}

/** The part of the context that depends on the config. */
export function changedContext(found: Loaded): ChangedContext {
  const { loaded, base, folder, trusted, binFolders, avoid, files, refusal, otherServer } = found;
  const { tokenFile } = loaded.plan.http;
  const tokenFiles = tokenFile === null ? [] : [resolve(folder, tokenFile)];
  const shipped = [dirname(dirname(executable)), shippedConfigs, shippedTemplates];
  return {
    base,
    trusted,
    binFolders,
    avoid,
    refusal,
    otherServer,
    ownFiles: [...files, ...tokenFiles, ...shipped],
  };
}

/** The folder as written, and its real path. */
function withReal(folder: string): string[] {
  return sortedSet([folder, realPath(folder)]);
}

/** Loads the bundle or config that the command line asks for. Throws a ConfigError with all problems. */
export async function loadFrom(
  input: Input,
  io: Io,
  { servesUntrusted = false, asks = true, files: read = new Set() }: OpenOptions = {},
): Promise<Loaded> {
  const expect = input.text("expect");
  const options = expect === undefined ? {} : { expect };
  const bundleSource = input.text("bundle");
  if (bundleSource !== undefined) {
    const base = resolve(io.cwd, input.text("workspace") ?? ".");
    const bundleFolder = resolve(io.cwd, bundleSource);
    // The manifest has the hashes of all files.
    const files = [bundleFolder, join(bundleFolder, MANIFEST_FILE)];
    for (const file of files) read.add(file);
    const loaded = await loadBundle({ folder: bundleFolder }, options);
    const here = [base, ...loaded.plan.workspace.roots.map((root) => resolve(base, root))];
    const trustsAll = input.isOn("trust-workspace");
    const trust = folderTrust(here, here, io, { isTrustedFolder: () => false, trustsAll });
    const unscanned = { isScanned: false, isStillTrusted: () => true, validateCommand: undefined };
    return { loaded, base, folder: base, source: bundleSource, files, ...unscanned, ...trust };
  }
  const { compile } = await import("./compile.js");
  let refusal: Refusal | undefined;
  const compiled = await compile(input, io, { files: read }).catch(async (error: unknown) => {
    if (!(error instanceof ConfigError) || !servesUntrusted || isNamed(input, io)) throw error;
    const workspace = workspaceOf(input, io);
    const errors = error.problems.filter(({ severity }) => severity === "error");
    const needsOnlyTrust = errors.every(({ code }) => code === "config/untrusted");
    if (needsOnlyTrust && asks && (await import("./terminal/prompt.js")).isInteractive(io)) {
      const { askForTrust, inspectTrust } = await import("./trust-workspace.js");
      if (await askForTrust(inspectTrust(workspace, io), io)) return compile(input, io);
    }
    await printWarnings(needsOnlyTrust ? error.problems : [], io);
    if (!needsOnlyTrust) await printAll(error.problems, io);
    refusal = needsOnlyTrust ? untrusted(workspace) : unusable(workspace, errors);
    for (const name of CONFIG_NAMES) read.add(join(workspace, name));
    return compile(input, io, { ignores: "found", files: read }).catch((further: unknown) => {
      if (!(further instanceof ConfigError)) throw further;
      // The user's own config has problems too.
      return compile(input, io, { ignores: "found and own", files: read });
    });
  });
  const { bundle, loaded: config, warnings, workspace, ...rest } = compiled;
  await printWarnings(warnings, io);
  const { base, folder, main } = config;
  const loaded = await loadBundle({ bundle }, options);
  const isFound = main.kind !== "named";
  const source = main.file ?? "the embedded default";
  const served = { source, refusal, found: isFound ? workspace : undefined };
  return { ...rest, ...served, loaded, base, folder, validateCommand: validateCommand(input, io) };
}

/** The refusal of all calls. The agent must not read what the config says, only that it is there. */
export function untrusted(workspace: string): Refusal {
  const message = "The config that was found in the workspace is not trusted, so no tool can be used.";
  const nextSteps = [{ kind: "command" as const, text: trustCommand(workspace) }];
  return new Refusal("config/untrusted", message, { nextSteps });
}

/** The refusal of all calls because of a config that was found and has problems. */
function unusable(workspace: string, errors: readonly Problem[]): Refusal {
  const message = `The config that was found has ${plural(errors.length, "problem")}, so no tool can be used: ${problemList(errors, true, workspace)}.`;
  const text = `lsp-proxy validate --workspace ${workspace}`;
  return new Refusal("config/unusable", message, { nextSteps: [{ kind: "command", text }] });
}

/** The command that shows the problems of the config, in any folder; undefined where the config has no file. */
export function validateCommand(input: Input, io: Io): string | undefined {
  if (input.config !== undefined || input.text("bundle") !== undefined) return undefined;
  const config = input.text("config");
  const variable = io.env.LSPI_CONFIG_PATH || undefined;
  const file = config === undefined ? variable : resolve(io.cwd, config);
  const namesWorkspace = file === undefined || input.text("workspace") !== undefined;
  const context = input.text("context");
  const given = [
    ...(file === undefined ? [] : ["--config", file]),
    ...(namesWorkspace ? ["--workspace", workspaceOf(input, io)] : []),
    ...(context === undefined ? [] : ["--context", context]),
  ];
  return ["lsp-proxy validate", ...given.map((word) => (/\s/.test(word) ? `"${word}"` : word))].join(" ");
}

/** The first problems in one line. Agents may not read what a config says that was only found. */
export function problemList(
  errors: readonly Problem[],
  isFound: boolean,
  base: string,
  most = MOST_SHOWN,
): string {
  const shown = errors.slice(0, most).map(({ code, message, place }) => {
    const at = place === undefined ? "" : ` in ${shownFile(place.file, base)}:${place.line}`;
    return isFound ? `${code}${at}` : `${code}${at}: ${message}`;
  });
  const more = errors.length > shown.length ? [`${errors.length - shown.length} more`] : [];
  return [...shown, ...more].join("; ");
}

/** Whether the command line or a variable names the config. */
export function isNamed(input: Input, io: Io): boolean {
  return input.config !== undefined || input.text("config") !== undefined || Boolean(io.env.LSPI_CONFIG_PATH);
}

async function printWarnings(problems: readonly Problem[], io: Io): Promise<void> {
  const warnings = problems.filter(({ severity }) => severity === "warning");
  if (warnings.length > 0) await printAll(warnings, io);
}

async function printAll(problems: readonly Problem[], io: Io): Promise<void> {
  const { printProblems } = await import("./terminal/report.js");
  printProblems(problems, { json: false, io });
}
