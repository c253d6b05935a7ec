/** Fetches the sources of the projects by name, each with the client of its registry, and makes a repository of them. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Failed } from "./machine.mjs";

/** The only entry of a folder whose name ends so. */
function entryOf(folder, end) {
  const name = readdirSync(folder).find((entry) => entry.endsWith(end));
  if (name === undefined) throw new Failed(`${folder} has no *${end}`);
  return join(folder, name);
}

async function unpack(archive, into, machine) {
  mkdirSync(into, { recursive: true });
  await machine.run("tar", ["-xf", archive, "-C", into, "--strip-components=1"]);
}

/** How each registry's client fetches a package. Each fills the folder `project`; `scratch` is removed afterwards. */
const registries = {
  async npm(spec, project, scratch, machine) {
    await machine.run("npm", ["pack", "--silent", spec], { cwd: scratch });
    await unpack(entryOf(scratch, ".tgz"), project, machine);
  },
  async pip(spec, project, scratch, machine) {
    const words = ["-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", scratch, spec];
    await machine.run("python3", words, { cwd: scratch });
    await unpack(entryOf(scratch, ".tar.gz"), project, machine);
  },
  async go(spec, project, scratch, machine) {
    const { stdout } = await machine.run("go", ["mod", "download", "-json", spec], { cwd: scratch });
    cpSync(JSON.parse(stdout).Dir, project, { recursive: true });
  },
  async cargo(spec, project, scratch, machine) {
    await machine.run("cargo", ["info", spec], { cwd: scratch });
    const registry = join(machine.env.CARGO_HOME, "registry", "src");
    const [source] = readdirSync(registry)
      .map((index) => join(registry, index, spec.replace("@", "-")))
      .filter((folder) => existsSync(folder));
    if (source === undefined) throw new Failed(`\`cargo info ${spec}\` left no sources`);
    cpSync(source, project, { recursive: true });
  },
};

/** The folder of a package's sources in the cache; fetched once. `inner` names an archive within it that is meant instead. */
export async function fetchSources({ by, spec, inner }, cache, machine) {
  const place = join(cache, "sources", `${by}-${spec.replaceAll(/[^\w.-]+/g, "-")}`);
  if (existsSync(place)) return place;
  const staged = join(cache, "sources", `.new-${process.pid}`);
  const scratch = join(staged, "scratch");
  mkdirSync(scratch, { recursive: true });
  try {
    await registries[by](spec, join(staged, "package"), scratch, machine);
    if (inner !== undefined) await unpack(join(staged, "package", inner), join(staged, "inner"), machine);
    renameSync(join(staged, inner === undefined ? "package" : "inner"), place);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return place;
}

/** Copies sources into a project's folder. Those of Go's module cache are read-only. */
export function copySources(from, to) {
  cpSync(from, to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink())
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}

/** A repository with one commit, as after a clone. */
export async function makeRepository(folder, machine) {
  const git = (...words) =>
    machine.run("git", ["-c", "user.name=new", "-c", "user.email=new@example.org", ...words], {
      cwd: folder,
    });
  await git("init", "--quiet");
  // What the project's tools make is not part of it.
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules/\n.venv/\ntarget/\n");
  await git("add", "--all");
  await git("commit", "--quiet", "--no-verify", "--message", "sources");
}
