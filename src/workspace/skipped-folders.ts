/** Names of folders that hold no files of the project itself, whether a `.gitignore` names them or not. */

/** Folders of version control. They are never entered. */
export const VERSION_CONTROL_FOLDERS: ReadonlySet<string> = new Set([".git", ".hg", ".jj", ".svn"]);

/** Folders of installed packages. A walk skips them; a watch treats them as ignored. */
export const PACKAGE_FOLDERS: ReadonlySet<string> = new Set(["node_modules"]);

/** Entries that only a folder of installed packages or build results has, and the folder's name if that matters. */
const MARKERS: readonly { entry: string; folder?: string }[] = [
  { entry: "pyvenv.cfg" },
  { entry: "conda-meta" },
  { entry: "CACHEDIR.TAG" },
  { entry: "modules.txt", folder: "vendor" },
  { entry: "autoload.php", folder: "vendor" },
];

/** Whether a folder with these entries holds what was installed or built: a virtual environment, vendored packages. */
export function holdsInstalled(folder: string, entries: readonly { name: string }[]): boolean {
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return MARKERS.some(
    (marker) => (marker.folder ?? name) === name && entries.some((entry) => entry.name === marker.entry),
  );
}
