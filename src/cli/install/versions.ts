/** Chooses the newest version of a server that fits the toolchain that is installed. */
import { readFileSync } from "node:fs";
import { satisfies, validRange } from "semver";
import { isTable } from "../../base/json.js";
import type { InstallConfig } from "../../config/schema/install.js";
import { isAtLeast } from "../../lsp/process/package-version.js";
import { InstallFailure, type Steps } from "./step.js";

/** How many older versions are looked at. */
const MAX_TRIES = 25;

/** The newest release of a Go package's module that the installed Go can build. */
export async function fittingGoVersion(path: string, folder: string, steps: Steps): Promise<string> {
  const options = { cwd: folder, env: { GOTOOLCHAIN: "local", GOWORK: "off", GOFLAGS: "-mod=mod" } };
  const { stdout } = await steps.must("go", ["env", "GOVERSION"], options);
  const present = /\d+(?:\.\d+)*/.exec(stdout)?.[0] ?? "0";
  const module = await goModule(path, options, steps);
  const listed = await steps.must("go", ["list", "-m", "-versions", "-json", `${module}@latest`], options);
  const found = JSON.parse(listed.stdout) as { Version: string; Versions?: string[] };
  const releases = (found.Versions ?? []).filter((version) =>
    /^v\d+\.\d+\.\d+(?:\+incompatible)?$/.test(version),
  );
  const newestFirst = [
    found.Version,
    ...releases.toReversed().filter((version) => version !== found.Version),
  ];
  let needed = "";
  for (const version of newestFirst.slice(0, MAX_TRIES)) {
    const wanted = await goDirective(`${module}@${version}`, options, steps);
    if (wanted === undefined || isAtLeast(present, wanted)) return version;
    needed ||= wanted;
  }
  throw new InstallFailure(
    `no recent version of ${path} can be built with Go ${present}; the newest needs Go ${needed}`,
    [],
    "Install a newer Go.",
  );
}

type GoOptions = Parameters<Steps["run"]>[2];

/** The module of a package: the longest part of its path that is one. */
async function goModule(path: string, options: GoOptions, steps: Steps): Promise<string> {
  const parts = path.split("/");
  let last: InstallFailure | undefined;
  for (let length = parts.length; length > 1; length--) {
    const module = parts.slice(0, length).join("/");
    try {
      await steps.must("go", ["list", "-m", `${module}@latest`], options);
      return module;
    } catch (error) {
      if (!(error instanceof InstallFailure)) throw error;
      last ??= error;
    }
  }
  throw last ?? new InstallFailure(`${path} is in no module`);
}

/** The Go version that a module's `go.mod` asks for. */
async function goDirective(module: string, options: GoOptions, steps: Steps): Promise<string | undefined> {
  // `-json` prints the place of go.mod also where the module itself does not fit.
  const { stdout } = await steps.run("go", ["list", "-m", "-json", module], options);
  try {
    const { GoMod, GoVersion } = JSON.parse(stdout) as { GoMod?: string; GoVersion?: string };
    if (GoVersion !== undefined) return GoVersion;
    return GoMod === undefined ? undefined : /^go (\S+)/m.exec(readFileSync(GoMod, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** The package with the newest version whose `engines` the installed Node meets; as it is where that is the newest. */
export async function fittingNpmSpec(spec: string, folder: string, steps: Steps): Promise<string> {
  const node = await steps.run("node", ["--version"], { cwd: folder });
  const asked = ["view", spec, "name", "version", "engines", "--json", "--loglevel=error"];
  const { status, stdout } = await steps.run("npm", asked, { cwd: folder });
  if (status !== 0 || node.status !== 0) return spec;
  const newest = entries(stdout).at(-1);
  if (newest === undefined || isMet(newest.engines?.node, node.stdout)) return spec;
  const { stdout: all } = await steps.run(
    "npm",
    ["view", `${newest.name}@<=${newest.version}`, ...asked.slice(2)],
    { cwd: folder },
  );
  const fitting = entries(all).findLast(
    ({ version, engines }) => !version.includes("-") && isMet(engines?.node, node.stdout),
  );
  return fitting === undefined ? spec : `${fitting.name}@${fitting.version}`;
}

interface NpmEntry {
  name: string;
  version: string;
  engines?: { node?: string };
}

function entries(text: string): NpmEntry[] {
  try {
    return [JSON.parse(text) as unknown].flat().filter((entry): entry is NpmEntry => isTable(entry));
  } catch {
    return [];
  }
}

/** Whether a version of Node meets a range of npm, as npm judges `engines`. Unknown syntax counts as met. */
export function isMet(range: string | undefined, version: string): boolean {
  if (range === undefined || validRange(range) === null) return true;
  return satisfies(version, range, { includePrerelease: true });
}

/** The version that an installation would install, where its registry tells without a download. */
export async function newestVersion(
  { npm, go, cargo }: InstallConfig,
  by: string,
  folder: string,
  steps: Steps,
): Promise<string | undefined> {
  const [first = ""] = by === "npm" ? (npm ?? []) : (cargo?.crates ?? []);
  if (by === "go" && go !== undefined && !go.includes("@"))
    return (await fittingGoVersion(go, folder, steps)).replace(/^v/, "");
  if (by === "npm") {
    const asked = ["view", await fittingNpmSpec(first, folder, steps), "name", "version", "--json"];
    return entries((await steps.run("npm", asked, { cwd: folder })).stdout).at(-1)?.version;
  }
  if (by !== "cargo" || cargo?.git !== undefined) return undefined;
  const output = await steps.run("cargo", ["info", "--registry", "crates-io", first], { cwd: folder });
  return /^version: (\S+)/m.exec(output.stdout)?.[1];
}

/** The older version that Cargo or RubyGems names where the newest does not fit the toolchain. */
export function olderVersionIn(output: string): string | undefined {
  return (
    /`\S+ (\d\S*)` supports rustc/.exec(output)?.[1] ??
    /to support your Ruby(?: & RubyGems)? was (\d[\w.]*\w)/.exec(output)?.[1]
  );
}
