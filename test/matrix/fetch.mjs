/**
 * Gets a server from where `servers.toml` says it comes from, into a folder of its own: nothing is installed into the
 * system, and what was there before stays as it was.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf } from "./folder.mjs";
import { sources } from "./sources.mjs";

/**
 * What an entry needs, fetched unless it is there from a run before. An entry without a source is a program that must be
 * on PATH; one with several needs them all, and the first is the server's own.
 */
export function fetch(id, entry) {
  const parts = [];
  for (const [name, source] of Object.entries(sources)) {
    if (entry[name] === undefined) continue;
    const packages = [entry[name]].flat();
    const replaced = Object.entries(entry.overrides ?? {}).flat();
    const own = folderOf(name === "npm" ? [...packages, ...replaced] : [name, ...packages]);
    const done = join(own, "fetched");
    const isNew = !existsSync(done);
    try {
      mkdirSync(join(own, "bin"), { recursive: true });
      if (isNew) source.get(own, packages, entry, id);
      writeFileSync(done, "");
      parts.push({ own, isNew, name, version: source.version(own, packages) });
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      return {
        failure: `${name} could not get it here: ${error.message}`,
        fresh: parts.filter(isFresh).map(folder),
      };
    }
  }
  const modules = parts.find(({ name }) => name === "npm");
  return {
    bins: parts.map(({ own }) => join(own, "bin")),
    modules: modules && join(modules.own, "node_modules"),
    source: parts[0]?.name ?? "PATH",
    version: parts[0]?.version ?? null,
    fresh: parts.filter(isFresh).map(folder),
  };
}

const isFresh = ({ isNew }) => isNew;
const folder = ({ own }) => own;
