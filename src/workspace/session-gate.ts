/**
 * A gate for one session that sees only a part of the workspace: its own roots. A path that the outer gate refuses
 * stays refused, so a session's roots can only take away.
 */
import { relative, sep } from "node:path";
import { isInside, isOnShare, slashed } from "../base/paths.js";
import { Refusal } from "../base/problem.js";
import { fileOrThrow, pathOfName, realPathOf, statOrRefuse, strictPathOfUri } from "./gate.js";
import type { Admitted, Gate } from "./gate-types.js";

/**
 * The gate that admits what `gate` admits inside the folders of these URIs. Relative names start at the first of them.
 */
export function narrowGate(gate: Gate, uris: readonly string[]): Gate {
  const asked = uris.map((uri) => realFolder(uri, gate.roots));
  const roots = [...new Set(asked.flatMap((folder) => sharedRoots(gate.roots, folder)))];
  const base = roots[0] ?? gate.roots[0] ?? sep;
  // A path in no root of the workspace is in an extra root, which every session may read.
  const isSeen = ({ path }: Admitted) =>
    roots.some((root) => isInside(path, root)) || !gate.roots.some((root) => isInside(path, root));
  const fromBase = (admitted: Admitted): Admitted => ({
    ...admitted,
    shown: admitted.writable ? slashed(relative(base, admitted.path) || ".") : admitted.shown,
  });
  const seenOrThrow = (admitted: Admitted): Admitted => {
    if (!isSeen(admitted)) throw outside();
    return fromBase(admitted);
  };
  const admit = async (name: string) => seenOrThrow(await gate.admit(pathOfName(name, base)));

  return {
    roots,
    admit,
    // Whether a file exists is said only of what the session may see.
    async admitFile(name) {
      const admitted = await admit(name);
      return fileOrThrow(admitted, statOrRefuse(admitted.path));
    },
    admitEntry: async (name) => seenOrThrow(await gate.admitEntry(pathOfName(name, base))),
    check(path) {
      const admitted = gate.check(path);
      if (admitted instanceof Refusal) return admitted;
      return isSeen(admitted) ? fromBase(admitted) : outside();
    },
    show(uri, resolve) {
      const shown = gate.show(uri, resolve);
      return shown !== undefined && isSeen(shown) ? fromBase(shown) : undefined;
    },
  };
}

/** The intersection of a folder and the workspace: the folder inside a root, or the roots inside the folder. */
function sharedRoots(roots: readonly string[], folder: string | undefined): string[] {
  if (folder === undefined) return [];
  if (roots.some((root) => isInside(folder, root))) return [folder];
  return roots.filter((root) => isInside(root, folder));
}

/** The real path of a root that a client named; undefined for what is not a folder of this machine. */
function realFolder(uri: string, roots: readonly string[]): string | undefined {
  try {
    const path = strictPathOfUri(uri);
    // Another machine is not asked for the real path.
    return isOnShare(path) && sharedRoots(roots, path).length === 0 ? undefined : realPathOf(path);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function outside(): Refusal {
  return new Refusal("guard/outside-root", "The path leads outside the roots of this session.", {
    nextSteps: [
      {
        kind: "config",
        text: 'This client declared roots, and files outside of them are not shown; `http.session_roots = "ignore"` shows every session the whole workspace.',
      },
    ],
  });
}
