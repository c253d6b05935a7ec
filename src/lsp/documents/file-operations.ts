/** Requests and notifications about created, renamed and deleted files, such as `workspace/willRenameFiles`. */

import { BATCH_STEPS, GlobBudget } from "../../base/glob.js";
import { isTable } from "../../base/json.js";
import { fileUri } from "../../base/paths.js";
import type { FileOperationParams } from "../../protocol/notifications.js";
import type { Capabilities } from "../capabilities.js";
import { matchesGlob, matchesOrTooLong } from "../server-globs.js";

export type FileOperation = "Create" | "Rename" | "Delete";

/** A file or folder with absolute paths. */
export interface OperatedFile {
  path: string;
  newPath?: string;
  isFolder: boolean;
}

export function fileMethod<When extends "will" | "did">(
  when: When,
  operation: FileOperation,
): `workspace/${When}${FileOperation}Files` {
  return `workspace/${when}${operation}Files`;
}

/** The files that match the filters of a server, before (`will`) or after (`did`) the operation. */
export function wantedFiles(
  capabilities: Capabilities,
  when: "will" | "did",
  operation: FileOperation,
  files: readonly OperatedFile[],
): OperatedFile[] {
  if (!capabilities.allows("file_operations")) return [];
  const offered = capabilities.at("workspace", "fileOperations", `${when}${operation}`);
  const providers = [offered, ...capabilities.registered(fileMethod(when, operation))];
  const filters = providers.flatMap((provider) =>
    isTable(provider) && Array.isArray(provider.filters) ? provider.filters : [],
  );
  const budget = new GlobBudget(BATCH_STEPS);
  return files.filter((file) =>
    matchesOrTooLong(budget, () => filters.some((filter) => matches(filter, file, budget))),
  );
}

export function fileParams(files: readonly OperatedFile[]): FileOperationParams {
  return {
    files: files.map(({ path, newPath }) =>
      newPath === undefined ? { uri: fileUri(path) } : { oldUri: fileUri(path), newUri: fileUri(newPath) },
    ),
  };
}

function matches(filter: unknown, { path, isFolder }: OperatedFile, budget: GlobBudget): boolean {
  budget.spend(1);
  if (!isTable(filter) || !isTable(filter.pattern)) return false;
  if (typeof filter.scheme === "string" && filter.scheme !== "file") return false;
  const { glob, matches: kind, options } = filter.pattern;
  if (typeof glob !== "string" || (kind === "file" && isFolder) || (kind === "folder" && !isFolder))
    return false;
  const ignoreCase = isTable(options) && options.ignoreCase === true;
  return matchesGlob(glob, path, budget, ignoreCase);
}
