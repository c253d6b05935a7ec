/** The workspaces of a gateway. Each has a path of its own; at the common path a client's roots choose one. */
import { realPath } from "../../base/disk.js";
import { isInside, pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { WorkspaceChoice } from "../call-types.js";

export interface Workspace {
  /** The last part of its path: letters, digits, `.`, `_` and `-`. */
  name: string;
  runtime: Runtime;
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
      const paths = workspaces.map(({ name }) => `${path}/${name}`).join(", ");
      const message = `This gateway serves several workspaces, and the client's roots do not choose one. Connect to one: ${paths}`;
      return new Refusal("http/no-workspace", message);
    },
    session: { holder },
  };
}

/** The workspace with the deepest root around one of the client's; otherwise the only one inside of the client's. */
function chooseWorkspace(workspaces: readonly Workspace[], uris: readonly string[]): Runtime | undefined {
  const folders = uris.flatMap((uri) => pathOfUri(uri) ?? []).map((folder) => realPath(folder));
  const entries = workspaces.flatMap(({ runtime }) => runtime.roots.map((root) => ({ runtime, root })));
  const around = entries.filter(({ root }) => folders.some((folder) => isInside(folder, root)));
  const deepest = around.reduce<(typeof around)[number] | undefined>(
    (best, entry) => (best === undefined || entry.root.length > best.root.length ? entry : best),
    undefined,
  );
  if (deepest !== undefined) return deepest.runtime;
  const inside = entries.filter(({ root }) => folders.some((folder) => isInside(root, folder)));
  const found = new Set(inside.map(({ runtime }) => runtime));
  return found.size === 1 ? [...found][0] : undefined;
}
