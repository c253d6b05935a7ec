/**
 * The Python environment of a project: its `.venv` or `venv`, else the one that the user's environment names (uv,
 * virtualenv and poetry, conda). Only files are looked at; no Python is started.
 */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { isInside } from "../../base/paths.js";
import { here, type Platform } from "../../base/platform.js";
import type { ServerCommand } from "./launch-settings.js";
import { isInAny, isTrustedStart, type TrustContext, untrustedFolders } from "./trusted.js";

export type PythonContext = TrustContext & {
  env: { [name: string]: string | undefined };
  /** The running one, except in tests. */
  platform?: Platform;
};

const NAMES = [".venv", "venv"];
const PLACEHOLDER = "<python>";

/** Whether a server is told the project's Python. */
function namesPython({ initializeOptions, settings }: Pick<ServerPlan, "initializeOptions" | "settings">) {
  return JSON.stringify([initializeOptions, settings]).includes(PLACEHOLDER);
}

/** The Python program for a folder; undefined where there is no environment, or only one of an untrusted workspace. */
export function pythonOf(server: ServerCommand, folder: string, context: PythonContext): string | undefined {
  const { UV_PROJECT_ENVIRONMENT: uv, VIRTUAL_ENV: active, CONDA_PREFIX: conda } = context.env;
  // Conda's base environment has the tools of conda, not the packages of a project.
  const ofConda = context.env.CONDA_DEFAULT_ENV === "base" ? undefined : conda;
  const own = isTrustedStart(server, folder, context) ? projectEnvironment(folder, context) : undefined;
  const untrusted = untrustedFolders(context);
  return [uv && resolve(folder, uv), own, active, ofConda]
    .filter((path) => path !== undefined && isAbsolute(path) && !isInAny(path, untrusted))
    .flatMap((path) => programIn(path ?? "", context) ?? [])[0];
}

/** The environment that a server is started without, because the workspace is not trusted. */
export function withheldPython(
  server: ServerPlan,
  folder: string,
  context: PythonContext,
): string | undefined {
  if (!namesPython(server) || isTrustedStart(server, folder, context)) return undefined;
  return projectEnvironment(folder, context);
}

/** The environment in the nearest folder at or above, up to the workspace's root. */
function projectEnvironment(from: string, context: PythonContext): string | undefined {
  const tops = context.roots.filter((root) => isInside(from, root));
  for (let folder = from; ; folder = dirname(folder)) {
    const found = NAMES.map((name) => join(folder, name)).find((path) => isEnvironment(path, context));
    if (found !== undefined) return found;
    if (dirname(folder) === folder || tops.length === 0 || tops.includes(folder)) return undefined;
  }
}

function isEnvironment(path: string, context: PythonContext): boolean {
  return (
    (existsSync(join(path, "pyvenv.cfg")) || existsSync(join(path, "conda-meta"))) &&
    programIn(path, context) !== undefined
  );
}

function programIn(environment: string, { platform = here }: PythonContext): string | undefined {
  return platform.pythonPrograms.map((name) => join(environment, name)).find((path) => existsSync(path));
}
