/** How each package manager installs a server into a folder, which version that was, and where its program is. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { namesIn } from "../../base/disk.js";
import { here } from "../../base/platform.js";
import type { InstallConfig } from "../../config/schema/install.js";
import { installArchive } from "./archive.js";
import { failed, InstallFailure, type Steps } from "./step.js";
import { fittingGoVersion, fittingNpmSpec, olderVersionIn } from "./versions.js";
import { archiveFor, type ManagedKey } from "./ways.js";

/** One installation: what, and into which empty folder. */
interface Installation {
  install: InstallConfig;
  /** The program that the preset starts. */
  program: string;
  folder: string;
  steps: Steps;
}

/** The result of an installation: the version, and the program's path. */
interface Installed {
  version: string;
  path: string;
}

export const managers: { readonly [by in ManagedKey]: (job: Installation) => Promise<Installed> } = {
  async npm({ install: { npm = [] }, program, folder, steps }) {
    const specs = await Promise.all(npm.map((spec) => fittingNpmSpec(spec, folder, steps)));
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const words = [
      "install",
      "--global=false",
      "--prefix",
      folder,
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ];
    await steps.must("npm", [...words, ...specs], { cwd: folder });
    const modules = join(folder, "node_modules");
    const manifest = join(modules, nameOf(npm[0] ?? ""), "package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    return { version, path: join(modules, ".bin", program) };
  },

  async pip({ install: { pip = [] }, program, folder, steps }) {
    const venv = join(folder, "venv");
    const python = join(venv, here.pythonPrograms[0] ?? "");
    const options = { cwd: folder };
    if (steps.find("uv") !== undefined) {
      await steps.must("uv", ["venv", "--no-project", "--no-config", venv], options);
      await steps.must("uv", ["pip", "install", "--no-config", "--python", python, ...pip], options);
    } else {
      const base = steps.find("python3") === undefined ? "python" : "python3";
      await steps.must(base, ["-m", "venv", venv], options).catch((error: unknown) => {
        if (!(error instanceof InstallFailure)) throw error;
        const advice = "Install the `venv` module of Python (Debian: `python3-venv`), or `uv`.";
        throw new InstallFailure(error.message, error.lines, advice);
      });
      const words = ["install", "--disable-pip-version-check", "--no-input", "--prefer-binary"];
      await steps.must(python, ["-m", "pip", ...words, ...pip], options);
    }
    const name = (/^[\w.-]+/.exec(pip[0] ?? "")?.[0] ?? "").replaceAll(/[-_.]+/g, "_").toLowerCase();
    return { version: distVersion(venv, name), path: join(venv, here.pythonScripts, program) };
  },

  async gem({ install: { gem = [] }, program, folder, steps }) {
    const gems = join(folder, "gems");
    const bin = join(gems, "bin");
    for (const spec of gem) {
      const [name = "", version] = spec.split("@");
      const words = (wanted: string | undefined) => [
        "install",
        name,
        "--install-dir",
        gems,
        "--bindir",
        bin,
        "--no-document",
        ...(wanted === undefined ? [] : ["--version", wanted]),
      ];
      await olderOnRefusal(steps, "gem", words, version, { cwd: folder });
    }
    const name = nameOf(gem[0] ?? "");
    const found = namesIn(join(gems, "gems")).find(
      (entry) => /^-\d/.test(entry.slice(name.length)) && entry.startsWith(name),
    );
    // A gem outside the default folder is found only where GEM_PATH names it.
    const launcher = join(folder, "launcher");
    const text = `#!/bin/sh\nGEM_PATH='${gems}'"\${GEM_PATH:+:$GEM_PATH}" exec '${join(bin, program)}' "$@"\n`;
    if (existsSync(join(bin, program))) writeFileSync(launcher, text);
    if (existsSync(launcher)) chmodSync(launcher, 0o755);
    return { version: found?.slice(name.length + 1) ?? "unknown", path: launcher };
  },

  async dotnet({ install: { dotnet = "" }, program, folder, steps }) {
    const tools = join(folder, "tools");
    const [name = "", version] = dotnet.split("@");
    const words = ["tool", "install", name, "--tool-path", tools];
    const env = { DOTNET_CLI_TELEMETRY_OPTOUT: "1", DOTNET_NOLOGO: "1" };
    await steps.must("dotnet", [...words, ...(version ? ["--version", version] : [])], { cwd: folder, env });
    const [found] = namesIn(join(tools, ".store", name.toLowerCase()));
    return { version: found ?? "unknown", path: join(tools, program) };
  },

  async go({ install: { go = "" }, program, folder, steps }) {
    const [path = "", wanted] = go.split("@");
    const version = wanted ?? (await fittingGoVersion(path, folder, steps));
    const bin = join(folder, "go");
    // The version was chosen for the Go that is installed; another one is not downloaded.
    const env = { GOBIN: bin, GOTOOLCHAIN: "local", GOWORK: "off" };
    await steps.must("go", ["install", `${path}@${version}`], { cwd: folder, env });
    const [only] = namesIn(bin);
    const named = join(bin, program);
    return {
      version: version.replace(/^v/, ""),
      path: existsSync(named) ? named : join(bin, only ?? program),
    };
  },

  async cargo({ install: { cargo }, program, folder, steps }) {
    const { crates = [], features = [], git, toolchain } = cargo ?? {};
    const root = join(folder, "cargo");
    const [first = "", ...others] = crates;
    const words = (version: string | undefined) => [
      ...(toolchain === undefined ? [] : [`+${toolchain}`]),
      "install",
      "--locked",
      "--root",
      root,
      ...(git === undefined ? [] : ["--git", git]),
      ...(features.length === 0 ? [] : ["--features", features.join(",")]),
      ...(first === "" ? [] : [version === undefined ? first : `${nameOf(first)}@${version}`]),
      ...others,
    ];
    const env = { CARGO_TARGET_DIR: join(folder, "target") };
    await olderOnRefusal(steps, "cargo", words, undefined, { cwd: folder, env });
    rmSync(join(folder, "target"), { recursive: true, force: true });
    const known = existsSync(join(root, ".crates.toml"))
      ? readFileSync(join(root, ".crates.toml"), "utf8")
      : "";
    const built = [...known.matchAll(/^"(\S+) (\S+) \(/gm)].map(([, name, version]) => ({ name, version }));
    const own = built.find(({ name }) => name === nameOf(first)) ?? built[0];
    return { version: own?.version ?? "unknown", path: join(root, "bin", program) };
  },

  async rustup({ install: { rustup = "" }, program, folder, steps }) {
    await steps.must("rustup", ["component", "add", rustup], { cwd: folder });
    const { stdout } = await steps.must("rustup", ["which", program], { cwd: folder });
    const path = stdout.trim();
    const output = await steps.must(path, ["--version"], { cwd: folder });
    return { version: /\d[\w.+-]*/.exec(output.stdout)?.[0] ?? "unknown", path };
  },

  async archive({ install, folder, steps }) {
    const archive = archiveFor(install, { os: here.os, cpu: process.arch });
    if (archive === undefined) throw new InstallFailure("there is no download for this system");
    return { version: archive.version, path: await installArchive(archive, folder, steps) };
  },
};

/** Runs an installation; where it says that only an older version fits this toolchain, runs it with that one. */
async function olderOnRefusal(
  steps: Steps,
  program: string,
  words: (version: string | undefined) => string[],
  version: string | undefined,
  options: Parameters<Steps["run"]>[2],
): Promise<void> {
  const ran = await steps.run(program, words(version), options);
  if (ran.status === 0) return;
  const older = olderVersionIn(ran.output);
  if (older === undefined || older === version) throw failed(program, words(version), ran);
  await steps.must(program, words(older), options);
}

/** The version of a Python package, from the name of its metadata folder. */
function distVersion(venv: string, name: string): string {
  const libraries =
    here.os === "windows"
      ? [join(venv, "Lib")]
      : namesIn(join(venv, "lib")).map((lib) => join(venv, "lib", lib));
  for (const entry of libraries.flatMap((lib) => namesIn(join(lib, "site-packages")))) {
    const [own = "", version] = basename(entry, ".dist-info").split("-");
    if (entry.endsWith(".dist-info") && own.replaceAll(/[-_.]+/g, "_").toLowerCase() === name)
      return version ?? "unknown";
  }
  return "unknown";
}

/** A package's name without its version. */
function nameOf(spec: string): string {
  return spec.replace(/(?<=.)@[^/]*$/, "");
}
