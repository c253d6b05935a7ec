/**
 * Files that are created, renamed or deleted as servers hear of it: `workspace/willRenameFiles` and its kind. A server
 * hears only of what its filters match, as it asked.
 */

import { isTable } from "../../base/json.js";
import { fileUri } from "../../base/paths.js";
import { type Capabilities, matchesGlob } from "../capabilities.js";

/** What happens to files. */
export type FileOperation = "Create" | "Rename" | "Delete";

/** A file or folder that something happens to; absolute paths. */
export interface OperatedFile {
  path: string;
  /** Where it goes, when it is renamed. */
  newPath?: string;
  isFolder: boolean;
}

/** The request or notification of an operation. */
export function fileMethod(when: "will" | "did", operation: FileOperation): string {
  return `workspace/${when}${operation}Files`;
}

/** Those of the files that a server wants to hear of, before (`will`) or after (`did`) it happens. */
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
  return files.filter((file) => filters.some((filter) => matches(filter, file)));
}

/** The parameters that tell of an operation. */
export function fileParams(files: readonly OperatedFile[]): {
  files: ({ uri: string } | { oldUri: string; newUri: string })[];
} {
  const uri = (path: string) => fileUri(path);
  return {
    files: files.map(({ path, newPath }) =>
      newPath === undefined ? { uri: uri(path) } : { oldUri: uri(path), newUri: uri(newPath) },
    ),
  };
}

function matches(filter: unknown, { path, isFolder }: OperatedFile): boolean {
  if (!isTable(filter) || !isTable(filter.pattern)) return false;
  if (typeof filter.scheme === "string" && filter.scheme !== "file") return false;
  const { glob, matches: kind, options } = filter.pattern;
  if (typeof glob !== "string" || (kind === "file" && isFolder) || (kind === "folder" && !isFolder))
    return false;
  const ignoreCase = isTable(options) && options.ignoreCase === true;
  return ignoreCase ? matchesGlob(glob.toLowerCase(), path.toLowerCase()) : matchesGlob(glob, path);
}
