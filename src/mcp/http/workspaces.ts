/** The workspaces of a gateway. Each has a path of its own; at the common path a client's roots choose one. */
import { realPath } from "../../base/disk.js";
import { isInside, isOnShare, pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { WorkspaceChoice } from "../call-types.js";

export interface Workspace {
  /** The last part of its path: letters, digits, `.`, `_` and `-`. */
  name: string;
  runtime: Runtime;
}

/** The paths of a gateway: the common one, and where there are several workspaces one for each. */
export function servedPaths(workspaces: readonly Workspace[], path: string): string[] {
  return [path, ...(workspaces.length < 2 ? [] : workspaces.map(({ name }) => `${path}/${name}`))];
}

/** The choice for a session of a holder at the common path; undefined where there is nothing to choose. */
export function workspaceChoice(
  workspaces: readonly Workspace[],
  path: string,
  holder: string,
): WorkspaceChoice | undefined {
  if (workspaces.length < 2) return undefined;
  return {
    choose: (roots) => chooseWorkspace(workspaces, roots),
    refusal: () => {
      const paths = servedPaths(workspaces, path).slice(1).join(", ");
      const message = `This gateway serves several workspaces, and the client's roots do not choose one. Connect to one: ${paths}`;
      return new Refusal("http/no-workspace", message);
    },
    session: { holder },
  };
}

/**
 * The workspace that all folders of the client lead to: the one with the deepest root around a folder, otherwise the
 * only one inside of it.
 */
function chooseWorkspace(workspaces: readonly Workspace[], uris: readonly string[]): Runtime | undefined {
  const named = uris.flatMap((uri) => pathOfUri(uri) ?? []);
  // Another machine, which a client may name, is not asked for the real path.
  const folders = named.map((folder) => (isOnShare(folder) ? folder : realPath(folder)));
  const entries = workspaces.flatMap(({ runtime }) => runtime.roots.map((root) => ({ runtime, root })));
  const chosen = new Set<Runtime>();
  for (const folder of folders) {
    const around = entries.filter(({ root }) => isInside(folder, root));
    const longest = Math.max(...around.map(({ root }) => root.length));
    const deepest = around.filter(({ root }) => root.length === longest);
    const inside = entries.filter(({ root }) => isInside(root, folder));
    for (const { runtime } of deepest.length > 0 ? deepest.slice(0, 1) : inside) chosen.add(runtime);
  }
  return chosen.size === 1 ? [...chosen][0] : undefined;
}
