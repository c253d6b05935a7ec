/** Compiles what the command line asks for, in memory: config → plan → bundle. */
import { resolve } from "node:path";
import type { Bundle } from "../abi/bundle.js";
import type { Plan } from "../abi/plan.js";
import type { Code } from "../base/codes.js";
import { statOf } from "../base/file-stamp.js";
import { homeOf } from "../base/home.js";
import { fromPointer, type JsonObject, mergeOver, toPointer } from "../base/json.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { Catalogue } from "../config/catalogue/catalogue.js";
import { userConfigFile } from "../config/discover.js";
import { diskFiles } from "../config/files.js";
import { type ConfigRequest, type LoadedConfig, type OpenedConfig, openConfig } from "../config/load.js";
import { inOrder } from "../config/text/read.js";
import { hasKeptTrust, isTrusted, isTrustedFolder, openTrust } from "../config/trust/trust.js";
import { UnusableConfig } from "../config/usable-part.js";
import { emitBundle } from "../emit/bundle.js";
import { readTemplates } from "../emit/render.js";
import { NeedsAjv, shippedCode, shippedCompiler } from "../emit/shipped-validators.js";
import { textProblems } from "../emit/texts.js";
import { buildPlan } from "../plan/build.js";
import { everyDefault } from "../plan/defaults.js";
import { serversFor } from "./choose-servers.js";
import { type Input, type Surroundings, UsageError } from "./command.js";
import { type FolderTrust, folderTrust } from "./folder-trust.js";
import { outsideFolders } from "./outside-folders.js";
import { otherServerFor } from "./requires.js";
import { shippedConfigs, shippedTemplates, shippedValidators, version } from "./shipped.js";
import { workspaceOf } from "./workspace.js";

export interface Planned extends FolderTrust {
  /** The folder that was named or found as the workspace. */
  workspace: string;
  loaded: LoadedConfig;
  plan: Plan;
  warnings: Problem[];
  /** Every file that was read, or that does not exist but would have been read. */
  files: string[];
  /** Whether the servers are those that fit the files of the workspace and are installed. */
  isScanned: boolean;
  /** Whether the config that was found is still trusted as it was read; true for one that was not trusted. */
  isStillTrusted: () => boolean;
  /** The server for the project's version, where the one that this command installs is for another. */
  otherServer: (install: string) => string | undefined;
}

export interface Compiled extends Planned {
  bundle: Bundle;
}

/** The workspace, or the folder for a new config. Throws a UsageError when it is not a folder. */
export function workspaceFolder(input: Input, io: Surroundings, isNew = false): string {
  const workspace = isNew ? resolve(io.cwd, input.text("workspace") ?? ".") : workspaceOf(input, io);
  const stats = statOf(workspace);
  if (stats?.isDirectory()) return workspace;
  throw new UsageError(
    `--workspace: ${workspace} ${stats ? "is not a folder" : "does not exist or cannot be read"}`,
  );
}

interface PlanOptions {
  /** Whether no program is started, not even for its version. */
  startsNothing?: boolean;
  ignores?: ConfigRequest["ignores"];
  /** Collects the files that are read, also those of an attempt that fails. */
  files?: Set<string>;
}

/** Reads and plans the config that the command line names or that is found. Throws a ConfigError with all problems. */
export async function planConfig(
  input: Input,
  io: Surroundings,
  options: PlanOptions = {},
): Promise<Planned> {
  const workspace = input.config === undefined ? workspaceFolder(input, io) : workspaceOf(input, io);
  const home = homeOf(io.env);
  const trust = openTrust(io.env, home);
  const trustsAll = input.isOn("trust-workspace");
  const trustOf = (places: string[], read: string[], isNamed: boolean): FolderTrust =>
    folderTrust(places, read, io, {
      isTrustedFolder: (folder) => isTrustedFolder(trust, folder),
      // Naming a config trusts it and its workspace.
      trustsAll: trustsAll || isNamed,
    });
  let isStillTrusted = () => true;
  const trusts = (file: string, hash: string) => {
    if (trustsAll || !isTrusted(trust, file, hash)) return trustsAll;
    isStillTrusted = () => hasKeptTrust(trust, file, hash);
    return true;
  };
  const { files = new Set() } = options;
  files.add(trust.file);
  const read = (file: string) => {
    files.add(file);
    return diskFiles.read(file);
  };
  const named = input.text("config");
  const hasWorkspace = input.text("workspace") !== undefined;
  const opened = openConfig(
    {
      workspace,
      ...(named === undefined ? {} : { configPath: resolve(io.cwd, named) }),
      ...(hasWorkspace ? { base: workspace } : {}),
      env: io.env,
      home,
      shipped: shippedConfigs,
      defaults: everyDefault(),
      commandLine: input.config ?? commandLineLayer(input),
      alone: input.config !== undefined,
      ignores: options.ignores,
      isTrusted: trusts,
    },
    { ...diskFiles, read },
  );
  const lacking = input.config === undefined ? opened.lacksServers : undefined;
  const chosen =
    lacking &&
    (await serversFor(lacking, trustOf([lacking.base], [lacking.base], lacking.isNamed), io, options));
  const loaded = finishWhole(opened, chosen);
  const { plan, problems: found } = buildPlan(loaded.config, loaded);
  const texts = textProblems(plan, plan.tools, readTemplates(shippedTemplates));
  const userFile = userConfigFile(io.env, home);
  const problems = [
    ...found.map((problem) => withUserFile(problem, loaded, userFile)),
    ...texts.map((problem) => withPlace(problem, loaded)),
    ...outsideFolders(plan, loaded),
  ];
  if (problems.some((problem) => problem.severity === "error"))
    throw new ConfigError(inOrder([...loaded.warnings, ...problems]));
  const absolute = (folder: string) => resolve(loaded.base, folder);
  // A config given with --config names its own roots. The current folder matters only if --workspace is given too.
  const isNamed = loaded.main.kind === "named";
  const isElsewhere = isNamed && !hasWorkspace;
  const here = [...(isElsewhere ? [] : [workspace]), ...plan.workspace.roots.map(absolute)];
  const more = plan.servers.flatMap(({ workspaceFolders }) => workspaceFolders.map(absolute));
  return {
    workspace,
    loaded,
    plan,
    warnings: [...loaded.warnings, ...problems],
    files: [...files],
    isScanned: lacking !== undefined,
    isStillTrusted,
    otherServer: otherServerFor(loaded.base, () => new Catalogue(shippedConfigs, diskFiles).facts()),
    ...trustOf([...here, loaded.base, ...more], here, isNamed),
  };
}

/** The plan; for a removal that of `fallback` when the config has problems or is gone. */
export async function planOrFallback(
  input: Input,
  io: Surroundings,
  isRemoval: boolean,
  fallback: JsonObject,
): Promise<Planned> {
  try {
    return await planConfig(input, io);
  } catch (error) {
    if (!(error instanceof ConfigError && isRemoval)) throw error;
    return planConfig(input.withConfig(fallback), io);
  }
}

/** Where only the user's own `allow.commands` lacks a program, the fix names that file. */
function withUserFile(problem: Problem, { warnings }: LoadedConfig, file: string): Problem {
  const isNarrowed = ({ code, pointer }: Problem) =>
    code === "config/shrunk" && pointer.startsWith("/allow/commands/");
  return problem.code === "plan/command-not-allowed" && warnings.some(isNarrowed)
    ? { ...problem, fix: `Add the program to \`allow.commands\` in ${file}.` }
    : problem;
}

/** Follow-up problems: not reported when the named part of the config could not be read. */
const followUps: { [code in Code]?: string } = {
  "plan/absent-tool": "/tools",
  "plan/command-not-allowed": "/allow",
  "plan/unknown-server": "/servers",
  "plan/unknown-tool": "/tools",
};

/** Follow-up problems of an entry of which a part could not be read. */
const entryFollowUps: Code[] = [
  "plan/bad-reference",
  "plan/bad-step",
  "plan/bad-tool",
  "plan/base-needs-anchor",
  "plan/no-command",
  "plan/no-route",
  "plan/route-conflict",
];

/** The whole config. If it has problems, plans what is left of it too, so that all problems are reported at once. */
function finishWhole(opened: OpenedConfig, embedded: JsonObject | undefined): LoadedConfig {
  try {
    return opened.finish(embedded);
  } catch (error) {
    if (!(error instanceof UnusableConfig)) throw error;
    const { rest } = error;
    // Problems of one argument do not follow from other parts of the entry.
    const isIndependent = (pointer: string) => rest.isWhole(pointer) || pointer.includes("/args/");
    // An untrusted config loses its `allow.commands`; `trust` restores it.
    const isUntrusted = error.problems.some(({ code }) => code === "config/untrusted");
    const isNew = ({ code, pointer }: Problem) =>
      !(isUntrusted && code === "plan/command-not-allowed") &&
      rest.isWhole(followUps[code] ?? "") &&
      (isIndependent(pointer) || !entryFollowUps.includes(code));
    const { problems } = buildPlan(rest.config, rest);
    throw new ConfigError(inOrder([...error.problems, ...problems.filter(isNew)]));
  }
}

export async function compile(input: Input, io: Surroundings, options: PlanOptions = {}): Promise<Compiled> {
  const planned = await planConfig(input, io, options);
  try {
    return { ...planned, bundle: await bundleOf(planned.plan) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => withPlace(problem, planned.loaded)));
  }
}

/** Loads Ajv only when a tool differs from the shipped ones. Loading and running it takes longer than all the rest. */
async function bundleOf(plan: Plan): Promise<Bundle> {
  const templates = readTemplates(shippedTemplates);
  const generator = `lsp-proxy ${version()}`;
  const find = shippedCode(shippedValidators);
  try {
    return emitBundle(plan, { templates, compiler: shippedCompiler(find), generator });
  } catch (error) {
    if (!(error instanceof NeedsAjv)) throw error;
  }
  const { ajvCompiler } = await import("../emit/ajv-compiler.js");
  return emitBundle(plan, { templates, compiler: ajvCompiler(find), generator });
}

/** Adds the place to a problem of the emitter, which names a tool by its name instead of its index. */
function withPlace(problem: Problem, { config, locate }: LoadedConfig): Problem {
  const [list, name, ...rest] = fromPointer(problem.pointer);
  const index = config.tools?.findIndex((tool) => list === "tools" && tool.name === name) ?? -1;
  const pointer = index < 0 ? problem.pointer : toPointer(["tools", index, ...rest]);
  const place = locate(pointer) ?? locate(toPointer(fromPointer(pointer).slice(0, 2)));
  return place === undefined ? problem : { ...problem, place };
}

function commandLineLayer(input: Input): JsonObject {
  const context = input.text("context");
  const mcp: JsonObject = {
    ...(context === undefined ? {} : { context }),
    ...(input.isOn("read-only") ? { read_only: true } : {}),
  };
  return mergeOver(input.overrides, {
    ...(Object.keys(mcp).length > 0
      ? { mcp: input.isOn("read-write") ? { ...mcp, read_only: false } : mcp }
      : {}),
    ...(input.isOn("read-write") ? { allow: { effects: ["read", "edit", "command"] } } : {}),
  });
}
