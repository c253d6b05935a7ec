/** Opens the runtime of a bundle or a config. For a bundle the compiler is not loaded. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { configFolder, stateFolder } from "../config/state-folder.js";
import type { Trace } from "../lsp/types.js";
import { type LoadedBundle, loadBundle } from "../runtime/bundle/load.js";
import { openRuntime, type Runtime } from "../runtime/runtime.js";
import { exitCodes, homeOf, type Input, type Io } from "./command.js";
import { openLog, openTrace, type UsualLog } from "./log/log.js";
import { programFolders } from "./program-folders.js";
import { executable, shippedConfigs, shippedTemplates, version } from "./shipped.js";
import { type FolderTrust, folderTrust } from "./untrusted-folders.js";

export interface Loaded extends FolderTrust {
  loaded: LoadedBundle;
  base: string;
  /** The folder that the config's own relative files start from. */
  folder: string;
  /** The config or bundle, for messages. */
  source: string;
  files: string[];
}

export interface Opened extends Loaded {
  runtime: Runtime;
  trace: Trace | undefined;
}

/** Opens the runtime that the command line asks for. Throws a ConfigError with all problems. */
export async function openFrom(input: Input, io: Io, usualLog: UsualLog = "warn"): Promise<Opened> {
  const log = openLog(input, io, usualLog);
  let roots: string[] = [];
  const trace = openTrace(input, io, () => roots);
  const found = await loadFrom(input, io);
  const { loaded, base, folder, trusted, binFolders, avoid, files } = found;
  const { workspace, http } = loaded.plan;
  roots = [...workspace.roots.map((root) => resolve(base, root)), ...workspace.extraRoots].flatMap(withReal);
  const tokenFile = http.tokenFile === null ? [] : [resolve(folder, http.tokenFile)];
  const runtime = await openRuntime(loaded, {
    base,
    env: io.env,
    log,
    trace,
    stateFolder: stateFolder(io.env, homeOf(io)),
    configFolder: configFolder(io.env, homeOf(io)),
    ownFiles: [...files, ...tokenFile, dirname(dirname(executable)), shippedConfigs, shippedTemplates],
    trusted,
    binFolders,
    avoid,
    version: version(),
    onOutOfMemory: (message) => {
      io.stderr.write(`lsp-proxy: ${message}\n`);
      process.exit(exitCodes.fault);
    },
    ...programFolders(io),
    suggestServer: async (file) => (await import("./presets.js")).serverFor(file),
  });
  return { ...found, runtime, trace };
}

/** The folder as written, and its real path. */
function withReal(folder: string): string[] {
  return existsSync(folder) ? [folder, realpathSync(folder)] : [folder];
}

/** Loads the bundle or config that the command line asks for. Throws a ConfigError with all problems. */
export async function loadFrom(input: Input, io: Io): Promise<Loaded> {
  const expect = input.text("expect");
  const options = expect === undefined ? {} : { expect };
  const source = input.text("bundle");
  if (source !== undefined) {
    const base = resolve(io.cwd, input.text("workspace") ?? ".");
    const bundleFolder = resolve(io.cwd, source);
    const loaded = await loadBundle({ folder: bundleFolder }, options);
    const here = [base, ...loaded.plan.workspace.roots.map((root) => resolve(base, root))];
    const trustsAll = input.isOn("trust-workspace");
    const trust = folderTrust(here, here, io, { isTrustedFolder: () => false, trustsAll });
    return { loaded, base, folder: base, source, files: [bundleFolder], ...trust };
  }
  const { compile } = await import("./compile.js");
  const { bundle, loaded: config, warnings, ...rest } = await compile(input, io);
  if (warnings.length > 0) {
    const { printProblems } = await import("./terminal/report.js");
    printProblems(warnings, { json: false, io });
  }
  const { base, folder, main } = config;
  const loaded = await loadBundle({ bundle }, options);
  return { ...rest, loaded, base, folder, source: main.file ?? "the embedded default" };
}
