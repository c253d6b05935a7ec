/**
 * The file system as edits use it, one small act per method. Every path is a real path; an act that finds its folder moved
 * or replaced fails.
 */
import { createHash } from "node:crypto";

/** Whose a file is and who may do what with it. */
export interface Owner {
  mode: number;
  uid: number;
  gid: number;
}

/** What stands at a path; a link is not followed. */
export interface Found extends Owner {
  kind: "file" | "folder" | "link" | "other";
  /** The same for two names of one thing, and after it moved. */
  identity: string;
  size: number;
  links: number;
}

/** How a new file or folder is owned: like another, by its maker alone, or as the system does by default. */
export type Ownership = Owner | "private" | "default";

/** A part of a file. */
export interface Slice {
  offset: number;
  length: number;
}

/** What a new file holds: bytes, or pieces of them. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** What edits need of a file system. Failures are the system's own errors with their codes. */
export interface Disk {
  /** What stands there, or undefined when nothing does. */
  look(path: string): Promise<Found | undefined>;
  /** Whether the permissions let us write the file. */
  mayWrite(path: string): Promise<boolean>;
  /** A regular file's bytes. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  /** The bytes of a regular file, or of a part of it, in pieces. */
  pieces(path: string, slice?: Slice): AsyncIterable<Uint8Array>;
  list(path: string): Promise<string[]>;
  /** The same of each folder in a folder, with less certainty and much sooner; what cannot be read has nothing. */
  listBelow(path: string): Promise<{ name: string; names: string[] }[]>;
  readLink(path: string): Promise<string>;
  /** Writes a file that must not exist yet and waits until it is on the disk. */
  write(path: string, content: Content, owner: Ownership): Promise<void>;
  /** The same, with the extended attributes and access lists of another file; false when some of them were lost. */
  writeLike(like: string, path: string, content: Content, owner: Owner): Promise<boolean>;
  makeLink(path: string, target: string): Promise<void>;
  /** A second name for a file; fails when the name is taken. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Puts a file in the place of the one with this identity; ECHANGED when another one stands there. */
  replace(from: string, to: string, identity: string): Promise<void>;
  unlink(path: string): Promise<void>;
  makeFolder(path: string, owner: Ownership): Promise<void>;
  /** Gives a folder to its owner. */
  own(folder: string, owner: Ownership): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Removes whatever stands there, with everything below it, also from folders of ours that are write-protected. */
  removeTree(path: string): Promise<void>;
  /** Waits until a folder's names are on the disk. */
  sync(folder: string): Promise<void>;
}

/** The system's code of an error, empty when it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether an error only says that nothing is there, as under a name that is too long to exist. */
export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(error));
}

/** SHA-256 of a file, read piece by piece. */
export async function hashFile(disk: Disk, path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of disk.pieces(path)) hash.update(piece);
  return hash.digest("hex");
}
