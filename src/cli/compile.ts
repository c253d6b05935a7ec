/** The front half of the line for every command: command line → config → plan → bundle, all in memory. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Bundle } from "../abi/bundle.js";
import type { Plan } from "../abi/plan.js";
import type { Code } from "../base/codes.js";
import type { JsonObject } from "../base/json.js";
import { fromPointer, toPointer } from "../base/pointer.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { chooseServers } from "../config/catalogue/detect.js";
import type { PresetFacts } from "../config/catalogue/preset-index.js";
import { userConfigFile } from "../config/discover.js";
import { diskFiles, type Files } from "../config/files.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import { UnusableConfig } from "../config/usable-part.js";
import { inOrder } from "../config/text/read.js";
import { isTrusted, isTrustedFolder, openTrust } from "../config/trust/trust.js";
import { compiledSchemas, emitBundle } from "../emit/bundle.js";
import { shippedCode, shippedCompiler } from "../emit/shipped-code.js";
import { readTemplates } from "../emit/templates.js";
import { textProblems } from "../emit/texts.js";
import type { SchemaCompiler } from "../emit/validator.js";
import { buildPlan } from "../plan/build.js";
import { everyDefault } from "../plan/defaults.js";
import { scanWorkspace } from "../workspace/scan.js";
import { walkedDisk } from "../workspace/walk.js";
import { homeOf, type Input, isOn, type Surroundings, textFlag, UsageError } from "./command.js";
import { shippedConfigs, shippedTemplates, shippedValidators, version } from "./shipped.js";
import { type Trusting, trustingOf } from "./strangers.js";
import { type Here, isInPackages, isInstalled, lackingOf } from "./trial/installed.js";

/** A config that went down the whole line. */
export interface Compiled extends Trusting {
  loaded: LoadedConfig;
  plan: Plan;
  bundle: Bundle;
  warnings: Problem[];
  /** Every file that was read, or would have been if it were there. */
  files: string[];
}

/** The workspace that the command line means, as an absolute path. */
export function workspaceOf(input: Input, io: Surroundings): string {
  return resolve(io.cwd, textFlag(input, "workspace") ?? ".");
}

/** The workspace, which must be a folder. Throws a UsageError when it is none. */
export function workspaceFolder(input: Input, io: Surroundings): string {
  const workspace = workspaceOf(input, io);
  const facts = statSync(workspace, { throwIfNoEntry: false });
  if (facts?.isDirectory()) return workspace;
  throw new UsageError(`--workspace: ${workspace} ${facts ? "is no folder" : "does not exist"}`);
}

/** Reads and plans the config that the command line names or finds. Throws a ConfigError with all problems. */
export function planConfig(input: Input, io: Surroundings): Omit<Compiled, "bundle"> {
  const workspace = input.config === undefined ? workspaceFolder(input, io) : workspaceOf(input, io);
  const home = homeOf(io);
  const trust = openTrust(io.env, home);
  const trusting = (places: string[], read: string[]): Trusting =>
    trustingOf(places, read, io, {
      isTrustedFolder: (folder) => isTrustedFolder(trust, folder),
      trustsAll: isOn(input, "trust-workspace"),
    });
  const named = textFlag(input, "config");
  const read = new Set([trust.file]);
  const files: Files = {
    ...diskFiles,
    read(file) {
      read.add(file);
      return diskFiles.read(file);
    },
  };
  const loaded = loadWhole(
    {
      workspace,
      ...(named === undefined ? {} : { configPath: resolve(io.cwd, named) }),
      ...(textFlag(input, "workspace") === undefined ? {} : { base: workspace }),
      env: io.env,
      home,
      shipped: shippedConfigs,
      defaults: everyDefault(),
      commandLine: input.config ?? commandLineLayer(input),
      alone: input.config !== undefined,
      isTrusted: (file, hash) => isOn(input, "trust-workspace") || isTrusted(trust, file, hash),
      embedded: (presets) =>
        input.config !== undefined
          ? {}
          : chooseServers(
              scanWorkspace(workspace, walkedDisk, { env: io.env, home }),
              presets,
              tiersOf(workspace, trusting([workspace], [workspace]), io),
            ),
    },
    files,
  );
  const built = buildPlan(loaded.config, loaded);
  const { plan } = built;
  const texts = textProblems(plan, plan.tools, readTemplates(shippedTemplates));
  const told = built.problems.map((problem) => withUserFile(problem, loaded, userConfigFile(io.env, home)));
  const problems = [...told, ...texts.map((problem) => placed(problem, loaded))];
  if (problems.some((problem) => problem.severity === "error"))
    throw new ConfigError(inOrder([...loaded.warnings, ...problems]));
  const roots = plan.workspace.roots.map((root) => resolve(loaded.base, root));
  // A named config says itself where it works; the folder that we were started in is then nothing to it, unless it was named too.
  const isElsewhere = loaded.main.kind === "named" && textFlag(input, "workspace") === undefined;
  const here = [...(isElsewhere ? [] : [workspace]), ...roots];
  const more = plan.servers.flatMap(({ workspaceFolders }) => workspaceFolders);
  return {
    ...{ loaded, plan, warnings: [...loaded.warnings, ...problems], files: [...read] },
    ...trusting([...here, loaded.base, ...more.map((folder) => resolve(loaded.base, folder))], here),
  };
}

/**
 * Servers that can be started as they are, then those that lack something, then those that only the workspace has and nobody
 * trusts: what is asked of the last two says what to do about it.
 */
function tiersOf(
  workspace: string,
  { binFolders, avoid }: Trusting,
  { env }: Surroundings,
): ((preset: PresetFacts) => boolean)[] {
  const here: Here = { folders: binFolders, avoid, env };
  const known = new Map<string, boolean>();
  const isHere = (preset: PresetFacts) => {
    const found = known.get(preset.id) ?? isInstalled(preset, here);
    known.set(preset.id, found);
    return found;
  };
  const isTrusted = here.folders.length > 0;
  const isWhole = (preset: PresetFacts) =>
    lackingOf(preset, here, isTrusted ? workspace : undefined).length === 0;
  return [
    (preset) => isHere(preset) && isWhole(preset),
    isHere,
    (preset) => !isTrusted && isInPackages(preset, join(workspace, "node_modules", ".bin")),
  ];
}

/** A program that only the user's own list lacks is added there. */
function withUserFile(problem: Problem, { warnings }: LoadedConfig, file: string): Problem {
  const isHeld = ({ code, pointer }: Problem) =>
    code === "config/shrunk" && pointer.startsWith("/allow/commands/");
  return problem.code === "plan/command-not-allowed" && warnings.some(isHeld)
    ? { ...problem, fix: `Add the program to \`allow.commands\` in ${file}.` }
    : problem;
}

/** Problems that the loss of a part elsewhere would cause, and that are no news when it was lost. */
const followUps: { [code in Code]?: string } = {
  "plan/absent-tool": "/tools",
  "plan/command-not-allowed": "/allow",
  "plan/unknown-server": "/servers",
  "plan/unknown-tool": "/tools",
};

/** Problems that an entry may only have because it lost a part itself. */
const entryFollowUps: Code[] = [
  "plan/bad-reference",
  "plan/bad-step",
  "plan/bad-tool",
  "plan/base-needs-anchor",
  "plan/no-command",
  "plan/no-route",
  "plan/route-conflict",
];

/** Loads the config; when it has problems, adds those that only the plan can see, so that all are told in one go. */
function loadWhole(...request: Parameters<typeof loadConfig>): LoadedConfig {
  try {
    return loadConfig(...request);
  } catch (error) {
    if (!(error instanceof UnusableConfig)) throw error;
    const { rest } = error;
    // What is said of one argument does not follow from what another part of the entry lost.
    const isOwn = (pointer: string) => rest.isWhole(pointer) || pointer.includes("/args/");
    // A config without trust has lost its own list of programs, and `trust` gives it back.
    const isUntrusted = error.problems.some(({ code }) => code === "config/untrusted");
    const isNews = ({ code, pointer }: Problem) =>
      !(isUntrusted && code === "plan/command-not-allowed") &&
      rest.isWhole(followUps[code] ?? "") &&
      (isOwn(pointer) || !entryFollowUps.includes(code));
    const { problems } = buildPlan(rest.config, rest);
    throw new ConfigError(inOrder([...error.problems, ...problems.filter(isNews)]));
  }
}

/** The whole line up to the bundle. */
export async function compile(input: Input, io: Surroundings): Promise<Compiled> {
  const planned = planConfig(input, io);
  const compiler = await compilerFor(planned.plan);
  try {
    const bundle = emitBundle(planned.plan, {
      templates: readTemplates(shippedTemplates),
      compiler,
      generator: `lsp-proxy ${version()}`,
    });
    return { ...planned, bundle };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => placed(problem, planned.loaded)));
  }
}

/** Loads Ajv only for tools that are not as shipped: it is slower to load and to run than everything else together. */
async function compilerFor(plan: Plan): Promise<SchemaCompiler> {
  const find = shippedCode(shippedValidators);
  if (plan.tools.every(({ output }) => output.schema === null) && isShipped(plan, find))
    return shippedCompiler(find);
  const { ajvCompiler } = await import("../emit/schema-code.js");
  return ajvCompiler(find);
}

function isShipped(plan: Plan, find: ReturnType<typeof shippedCode>): boolean {
  for (const schema of compiledSchemas(plan)) if (find(schema) === undefined) return false;
  return true;
}

/** A problem that the emitter found: it knows a tool by its name, the file by its place in a list. */
function placed(problem: Problem, { config, locate }: LoadedConfig): Problem {
  const [list, name, ...rest] = fromPointer(problem.pointer);
  const index = config.tools?.findIndex((tool) => list === "tools" && tool.name === name) ?? -1;
  const pointer = index < 0 ? problem.pointer : toPointer(["tools", index, ...rest]);
  const place = locate(pointer) ?? locate(toPointer(fromPointer(pointer).slice(0, 2)));
  return place === undefined ? problem : { ...problem, place };
}

function commandLineLayer(input: Input): JsonObject {
  const context = textFlag(input, "context");
  const mcp: JsonObject = {
    ...(context === undefined ? {} : { context }),
    ...(isOn(input, "read-only") ? { read_only: true } : {}),
  };
  return Object.keys(mcp).length > 0 ? { mcp } : {};
}
