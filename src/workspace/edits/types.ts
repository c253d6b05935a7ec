/**
 * What the rest of the program sees of edits. An edit is a list of changes: first previewed, then applied by the
 * preview's token, all or nothing, and undone by the token that applying gave. Nothing here knows LSP or tools.
 */
import type { Code } from "../../base/codes.js";
import type { Gate } from "../types.js";

/**
 * A piece of a text and what takes its place. Offsets count code units of the decoded text, without a byte-order mark;
 * all changes of one edit are about the same text, and insertions at one offset keep their order.
 */
export interface TextChange {
  start: number;
  end: number;
  newText: string;
  /** The label of an annotation. */
  note?: string;
}

/**
 * One change of an edit, in order: each is about the files as the changes before it leave them. Paths are names that
 * the gate admits: paths, also relative to the first root, or `file:` URIs. An edit goes through symbolic links to
 * their target; rename and delete mean the link itself. Missing parent folders are made.
 */
export type Change =
  | {
      kind: "edit";
      path: string;
      /**
       * Hash of the bytes that the offsets are about: of the file on disk, of the text that an earlier `create` gives, or,
       * for a second edit of a file, of either the text before the first one (both are one edit then) or after it.
       */
      sha256: string;
      changes: TextChange[];
    }
  | { kind: "create"; path: string; text: string; overwrite: boolean; ignoreIfExists: boolean; note?: string }
  | {
      kind: "rename";
      from: string;
      to: string;
      overwrite: boolean;
      ignoreIfExists: boolean;
      note?: string;
    }
  | { kind: "delete"; path: string; recursive: boolean; ignoreIfNotExists: boolean; note?: string };

/** Why something of an edit cannot be done, about one file. */
export interface Reason {
  code: Code;
  /** As the gate shows it; `change 3` for a path that it does not admit, counted from 1. */
  path: string;
  message: string;
}

/** What an edit does to one file. */
export interface FilePreview {
  /** Absolute real path: where the file is before, or, for a new one, where it will be. */
  path: string;
  /** The same as the gate shows it; the key of `expected`. */
  shown: string;
  /** Where it is shown after, or null when it is removed. */
  shownAfter: string | null;
  /** Null for a new file. */
  beforeSha256: string | null;
  /** Null for a removed file. */
  afterSha256: string | null;
  /** The text that `changes` are about; null where no text changes, and for a new file. */
  before: string | null;
  /** In the order of the text, with line ends as they will be written. */
  changes: TextChange[];
  /** A unified diff of this file, empty when only its place changes; cut at a line when too long. */
  diff: string;
  diffCut: boolean;
  /** Other hard links of the file, which will keep the old text. */
  otherLinks: number;
  /** Whether it belongs to another user, and will belong to ours. */
  losesOwner: boolean;
}

/** What an edit does to names, in order. */
export interface OperationPreview {
  kind: "create" | "rename" | "delete";
  /** As the gate shows it. */
  path: string;
  /** The new name of a rename. */
  to?: string;
  folder: boolean;
  /** Files below a folder that moves or goes; 1 for a file. */
  files: number;
  /** Whether something that is there is replaced. */
  overwrites: boolean;
  /** Whether nothing is to do, as the change allows (`ignoreIfExists`, `ignoreIfNotExists`). */
  skipped: boolean;
  note?: string;
}

export interface Preview {
  /** By path. */
  files: FilePreview[];
  operations: OperationPreview[];
  /** Stands for this very edit of these very files in `apply`; the same edit has the same token. */
  token: string;
  /** Why it cannot be applied; empty when it can. */
  reasons: Reason[];
}

/** What happened to one file; counted after it happened. */
export interface AppliedFile {
  /** Absolute real path after (before, when it was removed). */
  path: string;
  shown: string;
  beforeSha256: string | null;
  afterSha256: string | null;
  changes: number;
}

/** A name that appeared, moved or went: what language servers and watchers are to be told. */
export interface AppliedOperation {
  kind: "create" | "rename" | "delete";
  /** Absolute path before. */
  path: string;
  shown: string;
  /** Absolute path after a rename. */
  to?: string;
  shownTo?: string;
  folder: boolean;
}

export interface Applied {
  files: AppliedFile[];
  operations: AppliedOperation[];
  /** Copies of the old texts that were asked for, as the gate shows them. */
  backups: string[];
  /** Files that have lost extended attributes or access lists, as the gate shows them. */
  bared: string[];
  undoToken: string;
}

/** What an undo brought back; the same form, seen from the undo. */
export type Undone = Omit<Applied, "backups" | "bared" | "undoToken">;

/** What was found of an edit whose process died, and what became of it. */
export interface Recovery {
  /** `finished`: it had happened whole; `rolled-back`: nothing of it is left; `conflict`: but for `reasons`. */
  outcome: "finished" | "rolled-back" | "conflict";
  /** Files that somebody changed since and that were therefore left as they are. */
  reasons: Reason[];
}

/** Whoever edits or takes back. */
export type Asker = Pick<ApplyOptions, "gate" | "holder">;

export interface ApplyOptions {
  /** The gate of whoever applies, when it is narrower than the workspace's. */
  gate?: Gate;
  /** Who applies, where there are several; they alone, and the user's own processes, can take it back. */
  holder?: string | undefined;
  /** Hashes by shown path: every file that is there before must be named with the hash it has, and no other. */
  expected?: { [shown: string]: string };
  /** Copies each edited file beside itself first, with this at the end of the name. */
  backupSuffix?: string;
}

/** Bounds of edits. */
export interface EditLimits {
  /** Largest file whose text is edited. */
  fileBytes: number;
  /** All texts of one edit together, before and after; also what a delete may remove. */
  editBytes: number;
  /** Files that one edit may touch or remove. */
  editFiles: number;
  /** Characters of one file's diff. */
  diffChars: number;
  /** Previews that can still be applied, and what they may hold together. */
  previews: number;
  previewBytes: number;
  /** What is kept for undo. */
  journalBytes: number;
  journalEntries: number;
  journalAgeMs: number;
  /** How long to wait for another process that edits the same workspace. */
  lockWaitMs: number;
}

/**
 * The edits of one workspace. Refusals carry `data.reasons`, the list of all reasons. A session that sees less than the
 * workspace gives its own gate; what that does not admit is neither edited nor undone.
 */
export interface Edits {
  /** Reads, decides and remembers; writes nothing. What cannot be done is told in `reasons`, not thrown. */
  preview(changes: Change[], gate?: Gate): Promise<Preview>;
  /** Does what a preview showed, whole, or throws a Refusal and leaves everything as it was. */
  apply(token: string, options?: ApplyOptions): Promise<Applied>;
  /** Brings back what an apply changed, whole, or throws a Refusal; works after a restart too. */
  undo(undoToken: string, asker?: Asker): Promise<Undone>;
  /** What an undo would bring back; throws a Refusal where it could not. Writes nothing. */
  previewUndo(undoToken: string, asker?: Asker): Promise<Undone>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface EditsOptions {
  gate: Gate;
  /** The user's state folder; journals stand below it. No edit touches it. */
  stateFolder: string;
  /** Files and folders that govern the program, as its config: no edit touches them. */
  ownFiles?: readonly string[];
  limits?: Partial<EditLimits>;
  /** Told of each dead process's edit that was finished or rolled back, at opening and later. */
  recovered?: (recovery: Recovery) => void;
}
