/** Names of folders that hold no files of the project itself, whether a `.gitignore` names them or not. */

/** Folders of version control. They are never entered. */
export const VERSION_CONTROL_FOLDERS: ReadonlySet<string> = new Set([".git", ".hg", ".jj", ".svn"]);

/** Folders of installed packages. A walk skips them; a watch treats them as ignored. */
export const PACKAGE_FOLDERS: ReadonlySet<string> = new Set(["node_modules"]);
