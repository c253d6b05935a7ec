/** Warns about the folders of servers that are outside the workspace: every file in them is refused. */
import { resolve } from "node:path";
import type { Plan } from "../abi/plan.js";
import { codes } from "../base/codes.js";
import { toPointer } from "../base/json.js";
import { isInside } from "../base/paths.js";
import type { Problem } from "../base/problem.js";
import { diskFiles } from "../config/files.js";
import type { LoadedConfig } from "../config/load.js";

/** A folder that contains a root is not reported: the root's files are in it. */
export function outsideFolders({ workspace }: Plan, { config, base, locate }: LoadedConfig): Problem[] {
  const real = (folder: string) => diskFiles.realpath(resolve(base, folder));
  const roots = [...workspace.roots, ...workspace.extraRoots].map(real);
  const isOutside = (folder: string) =>
    !roots.some((root) => isInside(real(folder), root) || isInside(root, real(folder)));
  const named = (config.servers ?? []).flatMap(({ id, enabled, root_dir, workspace_folders = [] }, index) => {
    if (enabled === false) return [];
    const folders = workspace_folders.map((folder, at) => ({
      folder,
      path: ["servers", index, "workspace_folders", at],
    }));
    const root = root_dir === undefined ? [] : [{ folder: root_dir, path: ["servers", index, "root_dir"] }];
    return [...root, ...folders].map((entry) => ({ id, ...entry }));
  });
  return named
    .filter(({ folder }) => isOutside(folder))
    .map(({ id, folder, path }) => {
      const pointer = toPointer(path);
      const place = locate(pointer);
      return {
        code: "plan/outside-workspace",
        severity: "warning",
        message: `The folder ${JSON.stringify(folder)} of the server \`${id}\` is outside the workspace, so files in it are refused.`,
        pointer,
        ...(place === undefined ? {} : { place }),
        fix: codes["plan/outside-workspace"].fix,
      };
    });
}
