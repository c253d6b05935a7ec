/**
 * The gate between names and files. A path passes only when its real path lies, segment by segment, inside a root and
 * matches no deny glob. Paths of the roots after the first are shown relative to the first, so that what an answer
 * shows can be given back as an argument.
 */

import type { Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { fileUri } from "../base/file-uri.js";
import { onOneLine } from "../base/one-line.js";
import { uniqueBy } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { ConfigError, Refusal } from "../base/problem.js";
import { pathOfName, pathOfUri } from "./file-name.js";
import { KnownNames } from "./known-names.js";
import { entryFacts, realPathOf, statOf } from "./real-path.js";
import type { Admitted, Gate } from "./types.js";

/** So many judgements are remembered. */
const mostAdmissions = 8192;

/** What may be seen of the file system. */
export interface GateOptions {
  /** Absolute folders; the first is where relative names start. */
  roots: string[];
  /** Absolute folders that may be read, never written. */
  extraRoots: string[];
  /** Globs relative to a root. */
  deny: string[];
}

/** Opens the gate of a workspace; a root that is not there is a problem of the config. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const roots = uniqueBy(await Promise.all(options.roots.map(realRoot)), (root) => root);
  const extraRoots = await existing(options.extraRoots);
  const named = [...roots, ...options.roots, ...extraRoots, ...options.extraRoots];
  const base = roots[0];
  if (base === undefined) throw noRoot("The workspace has no root.", 0);
  // Case is ignored, because on some file systems `.GIT` is `.git`.
  const denies = picomatch(options.deny.map(onOneLine), { dot: true, nocase: true });

  // Files come in hundreds from one folder: what was found of the folder last is not asked again.
  let allowed = "";
  const isDenied = (path: string, home: string): boolean => {
    const name = relativeTo(home, path);
    const folder = `${home}\0${name.slice(0, Math.max(0, name.lastIndexOf(sep)))}`;
    const news = folder === allowed ? [name.split(sep).join("/")] : prefixes(name);
    if (news.some((prefix) => denies(onOneLine(prefix)))) return true;
    allowed = folder;
    return false;
  };

  const judge = (path: string): Admitted | Refusal => {
    const root = roots.find((folder) => isInside(path, folder));
    const home = root ?? extraRoots.find((folder) => isInside(path, folder));
    if (home === undefined) return outside();
    if (isSystems(path, home)) return systems();
    if (isDenied(path, home)) return denied();
    const shown = root === undefined ? path : relativeTo(base, path) || ".";
    return {
      path,
      uri: fileUri(path),
      shown: shown.split(sep).join("/"),
      writable: root !== undefined,
    };
  };

  const names = new KnownNames();
  const admissions = new Map<string, Admitted>();
  /** A real path is judged by itself, so the same one always in the same way. */
  const place = (path: string): Admitted | Refusal => {
    const known = admissions.get(path);
    if (known !== undefined) return known;
    const judged = judge(path);
    if (judged instanceof Refusal) return judged;
    if (admissions.size >= mostAdmissions) admissions.clear();
    admissions.set(path, judged);
    return judged;
  };

  const follow = (path: string): string => {
    try {
      return realPathOf(path);
    } catch (error) {
      // Why a path outside cannot be followed is none of the caller's business.
      throw named.some((folder) => isInside(path, folder)) ? error : outside();
    }
  };

  const placeOrThrow = (path: string): Admitted => {
    const admitted = place(path);
    if (admitted instanceof Refusal) throw admitted;
    return admitted;
  };

  /** What a name leads to, and what stands there. */
  const lookUp = (name: string) => {
    const named = pathOfName(name, base);
    const admitted = placeOrThrow(follow(named));
    const facts = statOf(admitted.path);
    return { named, admitted: ordinary(admitted, facts), facts };
  };

  return {
    roots,
    place,
    admit: async (name) => lookUp(name).admitted,
    admitFile(name) {
      try {
        const { named, admitted, facts } = lookUp(name);
        return names.keep(name, { named, admitted: fileOrThrow(admitted, facts) });
      } catch (error) {
        return names.forget(name, error);
      }
    },
    recall: (name) => names.recall(name),
    async admitEntry(name) {
      const path = pathOfName(name, base);
      if (dirname(path) === path) throw outside();
      const admitted = placeOrThrow(join(follow(dirname(path)), basename(path)));
      const facts = entryFacts(admitted.path);
      return facts?.isSymbolicLink() ? admitted : ordinary(admitted, facts);
    },
    show(uri, follow = realPathOf) {
      try {
        const shown = place(follow(pathOfUri(uri)));
        return shown instanceof Refusal ? undefined : shown;
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
  };
}

/** Nothing but files and folders is read, moved or deleted: a pipe or a device is nobody's text. */
function ordinary(admitted: Admitted, facts: Stats | undefined): Admitted {
  if (facts !== undefined && !facts.isFile() && !facts.isDirectory())
    throw new Refusal("guard/not-a-file", `${admitted.shown} is not a regular file.`);
  return admitted;
}

/** What was admitted, if that is a file. */
export function fileOrThrow(admitted: Admitted, facts: Stats | undefined): Admitted {
  if (facts?.isFile()) return admitted;
  const why = facts === undefined ? "does not exist" : "is a folder";
  throw new Refusal("guard/not-a-file", `${admitted.shown} ${why}.`);
}

/** The way from a folder to a path. */
function relativeTo(folder: string, path: string): string {
  return path.startsWith(`${folder}${sep}`) ? path.slice(folder.length + 1) : relative(folder, path);
}

/** The system's view of itself and its devices. Only `/dev` has files of people as well: in a root that lies in it. */
function isSystems(path: string, home: string): boolean {
  if (sep !== "/") return false;
  return (
    isInside(path, "/proc") || isInside(path, "/sys") || (isInside(path, "/dev") && !isInside(home, "/dev"))
  );
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`: a denied folder denies all below it. */
function prefixes(path: string): string[] {
  let prefix = "";
  return path.split(sep).map((part) => {
    prefix = prefix === "" ? part : `${prefix}/${part}`;
    return prefix;
  });
}

async function realRoot(folder: string, index: number): Promise<string> {
  const path = await realpath(folder).catch(() => {
    throw noRoot("A root of the workspace does not exist or cannot be read.", index);
  });
  if (!statOf(path)?.isDirectory()) throw noRoot("A root of the workspace is not a folder.", index);
  return path;
}

/** The real paths of those folders that are there: an extra root may name a toolchain that is not installed. */
async function existing(folders: string[]): Promise<string[]> {
  const paths = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return paths.filter((path) => path !== undefined);
}

function outside(): Refusal {
  return new Refusal("guard/outside-root", "The path leads outside the workspace.", {
    nextSteps: [{ kind: "config", text: "Add its folder to `workspace.extra_roots` to make it readable." }],
  });
}

function systems(): Refusal {
  return new Refusal(
    "guard/outside-root",
    "The path leads to the system's own files: `/proc`, `/sys` or `/dev`.",
  );
}

function denied(): Refusal {
  return new Refusal("guard/denied", "The path matches `workspace.deny`.");
}

function noRoot(message: string, index: number): ConfigError {
  const fix = "Name an existing folder in `workspace.roots`.";
  return new ConfigError([
    { code: "config/bad-value", severity: "error", message, pointer: `/workspace/roots/${index}`, fix },
  ]);
}
