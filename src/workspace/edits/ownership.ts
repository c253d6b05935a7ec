/** Whose new files and folders are, as far as the system lets us say. */
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { type Ownership, systemCode } from "./disk.js";
import { FOLDER_FLAGS } from "./opened-folder.js";

/** Gives a folder to its owner. */
export async function ownFolder(name: string, owner: Ownership): Promise<void> {
  if (owner === "default" || process.platform === "win32") return;
  const folder = await fs.open(name, FOLDER_FLAGS);
  await own(folder, owner, 0o700).finally(() => folder.close());
}

/** Lets us remove what is in a folder and in all below it. */
export async function openFolders(folder: string): Promise<void> {
  if (!(await fs.lstat(folder)).isDirectory()) return;
  await fs.chmod(folder, 0o700);
  for (const entry of await fs.readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}

/** Sets owner and mode; only root may give files away, and not on every file system. */
export async function own(file: fs.FileHandle, owner: Ownership, privateMode: number): Promise<void> {
  if (owner === "default") return;
  // A strict umask may have taken the maker's own bits away.
  if (owner === "private") return file.chmod(privateMode);
  const facts = await file.stat();
  if (facts.uid !== owner.uid || facts.gid !== owner.gid)
    await file.chown(owner.uid, owner.gid).catch((error: unknown) => {
      if (!["EPERM", "ENOTSUP", "ENOSYS", "EINVAL"].includes(systemCode(error))) throw error;
    });
  await file.chmod(owner.mode);
}
