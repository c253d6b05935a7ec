/**
 * A gate for one session that sees less than the workspace: only what lies in the session's own roots as well. Whatever
 * the gate behind it refuses stays refused, so a session's roots can take away and never add.
 */
import { relative, sep } from "node:path";
import { isInside } from "../base/paths.js";
import { Refusal } from "../base/problem.js";
import { pathOfName, pathOfUri } from "./file-name.js";
import { fileOrThrow } from "./gate.js";
import { KnownNames } from "./known-names.js";
import { realPathOf, statOf } from "./real-path.js";
import type { Admitted, Gate } from "./types.js";

/** The gate that admits what `gate` admits within the folders of these URIs. Relative names start at the first of them. */
export async function narrowGate(gate: Gate, uris: readonly string[]): Promise<Gate> {
  const asked = uris.map(realFolder);
  const roots = [...new Set(asked.flatMap((folder) => shared(gate.roots, folder)))];
  const base = roots[0] ?? gate.roots[0] ?? sep;
  // What lies in no root of the workspace lies in an extra root, which is nobody's project and everybody's to read.
  const isSeen = ({ path }: Admitted) =>
    roots.some((root) => isInside(path, root)) || !gate.roots.some((root) => isInside(path, root));
  const placed = (admitted: Admitted): Admitted => ({
    ...admitted,
    shown: admitted.writable ? (relative(base, admitted.path) || ".").split(sep).join("/") : admitted.shown,
  });

  const seenOrThrow = (admitted: Admitted): Admitted => {
    if (!isSeen(admitted)) throw outside();
    return placed(admitted);
  };

  const names = new KnownNames();
  const admit = async (path: string) => seenOrThrow(await gate.admit(path));

  return {
    roots,
    admit: async (name) => admit(pathOfName(name, base)),
    // Whether something is there is told of what may be seen only.
    async admitFile(name) {
      try {
        const named = pathOfName(name, base);
        const admitted = await admit(named);
        return names.keep(name, { named, admitted: fileOrThrow(admitted, statOf(admitted.path)) });
      } catch (error) {
        return names.forget(name, error);
      }
    },
    recall: (name) => names.recall(name),
    admitEntry: async (name) => seenOrThrow(await gate.admitEntry(pathOfName(name, base))),
    place(path) {
      const admitted = gate.place(path);
      if (admitted instanceof Refusal) return admitted;
      return isSeen(admitted) ? placed(admitted) : outside();
    },
    show(uri, follow) {
      const shown = gate.show(uri, follow);
      return shown !== undefined && isSeen(shown) ? placed(shown) : undefined;
    },
  };
}

/** What a folder and the workspace have in common: the folder within a root, or the roots within the folder. */
function shared(roots: readonly string[], folder: string | undefined): string[] {
  if (folder === undefined) return [];
  if (roots.some((root) => isInside(folder, root))) return [folder];
  return roots.filter((root) => isInside(root, folder));
}

/** The real path of a root that a client named; none for what is not a folder of this machine. */
function realFolder(uri: string): string | undefined {
  try {
    return realPathOf(pathOfUri(uri));
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
        text: 'This client has roots, and what lies in none that it told is not shown; `http.session_roots = "ignore"` shows every session the whole workspace.',
      },
    ],
  });
}
