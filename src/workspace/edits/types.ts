/** The public types of the edit engine, which knows neither LSP nor MCP. An edit is a list of changes. */
import type { Code } from "../../base/codes.js";
import type { Gate } from "../gate-types.js";

/**
 * Replaces a range of a text. Offsets count UTF-16 code units without the byte-order mark. All changes of one edit
 * refer to the same text; insertions at one offset keep their order.
 */
export interface TextChange {
  start: number;
  end: number;
  newText: string;
  note?: string;
}

/**
 * One change of an edit. Each applies to the files as the changes before it leave them. Paths are absolute, relative to
 * the first root, or `file:` URIs. `edit` follows symbolic links; `rename` and `delete` act on the link itself.
 */
export type Change =
  | {
      kind: "edit";
      path: string;
      /** Hash of the bytes that the offsets refer to. A second edit of a file names those before or after the first. */
      sha256: string;
      changes: TextChange[];
    }
  | { kind: "create"; path: string; text: string; overwrite: boolean; ignoreIfExists: boolean; note?: string }
  | { kind: "rename"; from: string; to: string; overwrite: boolean; ignoreIfExists: boolean; note?: string }
  | { kind: "delete"; path: string; recursive: boolean; ignoreIfNotExists: boolean; note?: string };

export type PathChange = Exclude<Change, { kind: "edit" }>;

/** Why an edit is refused, about one file. */
export interface Reason {
  code: Code;
  /** The shown path; `change 3` (counted from 1) for a path that the gate does not admit. */
  path: string;
  /** Continues the sentence that begins with the path. */
  message: string;
}

/** A file before and after; hashes and paths are null where it does not exist. */
export interface FilePreview {
  /** Absolute real path: where the file is now, or where a new file will be. */
  path: string;
  /** The path relative to the roots, as answers show it. */
  shown: string;
  shownAfter: string | null;
  beforeSha256: string | null;
  afterSha256: string | null;
  /** The text that `changes` refer to; null for a new file and where no text changes. */
  before: string | null;
  /** Sorted by offset, with the line ends that will be written. */
  changes: TextChange[];
  diff: string;
  diffCut: boolean;
  /** Number of other hard links, which keep the old text. */
  otherLinks: number;
  /** Whether the file belongs to another user and will belong to ours. */
  losesOwner: boolean;
}

export interface OperationPreview {
  kind: "create" | "rename" | "delete";
  path: string;
  to?: string;
  folder: boolean;
  /** Number of files in the folder; 1 for a file. */
  files: number;
  overwrites: boolean;
  /** Whether there is nothing to do (`ignoreIfExists`, `ignoreIfNotExists`). */
  skipped: boolean;
  note?: string;
}

export interface Preview {
  changes: Change[];
  files: FilePreview[];
  operations: OperationPreview[];
  /** Identifies this edit of these file contents; equal edits have equal tokens. */
  token: string;
  /** Why the edit cannot be applied; empty when it can. */
  reasons: Reason[];
}

/** An applied file has its path after the edit; a removed one its old path. */
interface AppliedFile extends Pick<FilePreview, "path" | "shown" | "beforeSha256" | "afterSha256"> {
  changes: number;
}

/** An applied operation has absolute paths. */
export interface AppliedOperation extends Pick<OperationPreview, "kind" | "path" | "to" | "folder"> {
  shown: string;
  shownTo?: string;
}

/** The files and paths that an apply or an undo changed. */
export interface EditOutcome {
  files: AppliedFile[];
  operations: AppliedOperation[];
  /** Old files that still exist under hidden names: another program wrote to them, or they cannot be removed. */
  leftBehind: Reason[];
  /** Shown paths on a file system without hard links, where a save in the same instant could be replaced unseen. */
  unguarded: string[];
}

export interface Applied extends EditOutcome {
  backups: string[];
  /** Shown paths of files that lost extended attributes or access lists. */
  attributesLost: string[];
  undoToken: string;
}

/** What happened to an edit whose process died. */
export interface Recovery {
  /** `conflict`: rolled back or finished, except for the files in `reasons`. */
  outcome: "finished" | "rolled-back" | "conflict";
  reasons: Reason[];
}

export interface ApplyOptions {
  /** The caller's gate, when it is narrower than the workspace's. */
  gate?: Gate;
  /** The session that applies, when several share the proxy: only it and the user's own processes can undo the edit. */
  holder?: string | undefined;
  /** Expected hashes by shown path. Every file that exists before must be listed, and no other. */
  expected?: { [shown: string]: string };
  /** Copies each edited file beside itself first, with this suffix. */
  backupSuffix?: string;
}

export type Caller = Pick<ApplyOptions, "gate" | "holder">;

/** Limits of one edited file, of one edit, of the undo history, and of the wait for another process. */
export const defaultEditLimits = {
  fileBytes: 16 << 20,
  /** All texts together, before and after, and everything the edit deletes. */
  editBytes: 128 << 20,
  editFiles: 5_000,
  diffChars: 1_000_000,
  journalBytes: 256 << 20,
  journalEntries: 100,
  journalAgeMs: 7 * 24 * 3_600_000,
  lockWaitMs: 10_000,
};

export type EditLimits = typeof defaultEditLimits;

export interface EditsOptions {
  gate: Gate;
  /** The user's state folder, which holds the journals. No edit may touch it. */
  stateFolder: string;
  /** The program's own files and folders, such as its config. No edit may touch them. */
  ownFiles?: readonly string[];
  limits?: Partial<EditLimits>;
  /** Called for each edit of a dead process that was finished or rolled back. */
  recovered?: (recovery: Recovery) => void;
}

/** Edits in progress: between two writes the files are inconsistent. */
export interface EditActivity {
  /** How many edits began to write. */
  readonly begun: number;
  /** Resolves when the edit that is being written is complete; undefined when there is none. */
  readonly writing: Promise<unknown> | undefined;
}
