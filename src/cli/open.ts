/**
 * The back half of the line: bundle → runtime. `serve --bundle` comes here without the front half, so the compiler
 * is only loaded when a config has to be compiled.
 */

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { configFolder, stateFolder } from "../config/state-folder.js";
import type { Trace } from "../lsp/types.js";
import type { LoadedBundle } from "../runtime/bundle/load.js";
import { loadBundle } from "../runtime/bundle/load.js";
import { openRuntime, type Runtime } from "../runtime/runtime.js";
import { type Flags, type Input, isOn, type Surroundings, textFlag } from "./command.js";
import { openLog } from "./log/log.js";
import { openTrace } from "./log/trace.js";
import { executable, shippedConfigs, shippedTemplates, version } from "./shipped.js";
import { type Trusting, trustingOf } from "./strangers.js";

export const bundleFlags: Flags = {
  bundle: {
    type: "string",
    short: "b",
    value: "DIR",
    description: "A bundle that `generate` wrote, instead of a config.",
  },
  expect: { type: "string", value: "sha256-…", description: "Refuses any bundle but this one." },
};

/** A runtime with what a person may want to know about where it came from. */
export interface Opened {
  runtime: Runtime;
  /** The config's or bundle's name, for people. */
  source: string;
  base: string;
  /** Where the config's own files start, as the one that holds tokens. */
  folder: string;
  /** Sees the traffic, when the command line asks for that. */
  trace: Trace | undefined;
}

/** Opens the runtime that the command line asks for. Throws a ConfigError with all problems. */
export async function openFrom(input: Input, io: Surroundings): Promise<Opened> {
  const log = openLog(input, io);
  let roots: string[] = [];
  const trace = openTrace(input, () => roots);
  const { loaded, base, folder, trusted, binFolders, avoid, source, files } = await loadFrom(input, io);
  const { workspace, http } = loaded.plan;
  roots = [...workspace.roots.map((root) => resolve(base, root)), ...workspace.extraRoots].flatMap(bothNames);
  const runtime = await openRuntime(loaded, {
    base,
    env: io.env,
    log,
    trace,
    stateFolder: stateFolder(io.env, io.env.HOME ?? homedir()),
    configFolder: configFolder(io.env, io.env.HOME ?? homedir()),
    ownFiles: [
      ...files,
      ...(http.tokenFile === null ? [] : [resolve(folder, http.tokenFile)]),
      ...[dirname(dirname(executable)), shippedConfigs, shippedTemplates],
    ],
    ...{ trusted, binFolders, avoid },
    version: version(),
  });
  return { runtime, source, base, folder, trace };
}

/** A folder as it is written, and as the file system itself names it. */
function bothNames(folder: string): string[] {
  return existsSync(folder) ? [folder, realpathSync(folder)] : [folder];
}

/** A bundle, where it would run, and what it was read from. */
export interface Loaded extends Trusting {
  loaded: LoadedBundle;
  base: string;
  folder: string;
  source: string;
  files: string[];
}

/** The bundle that the command line asks for, where it would run, and what it was read from. Throws a ConfigError with all problems. */
export async function loadFrom(input: Input, io: Surroundings): Promise<Loaded> {
  const expect = textFlag(input, "expect");
  const options = expect === undefined ? {} : { expect };
  const folder = textFlag(input, "bundle");
  if (folder !== undefined) {
    const base = resolve(io.cwd, textFlag(input, "workspace") ?? ".");
    const loaded = await loadBundle({ folder: resolve(io.cwd, folder) }, options);
    const roots = loaded.plan.workspace.roots.map((root) => resolve(base, root));
    const here = [base, ...roots];
    return {
      ...{ loaded, base, folder: base, source: folder, files: [resolve(io.cwd, folder)] },
      ...trustingOf(here, here, io, {
        isTrustedFolder: () => false,
        trustsAll: isOn(input, "trust-workspace"),
      }),
    };
  }
  const { compile } = await import("./compile.js");
  const { bundle, loaded: config, warnings, ...compiled } = await compile(input, io);
  if (warnings.length > 0) {
    const { printProblems } = await import("./terminal/problems.js");
    printProblems(warnings, { json: false, io });
  }
  const loaded = await loadBundle({ bundle }, options);
  const source = config.main.file ?? "the embedded default";
  const { trusted, binFolders, avoid, files } = compiled;
  return { loaded, base: config.base, folder: config.folder, trusted, binFolders, avoid, source, files };
}
