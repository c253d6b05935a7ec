/**
 * Numbers of LSP by the names that vscode-languageserver-protocol gives them. Only the types come from that package: it
 * takes too long to load for a few numbers. A test compares them with the package's.
 */
import type {
  FileChangeType,
  LSPErrorCodes,
  TextDocumentSyncKind,
  WatchKind,
} from "vscode-languageserver-protocol";

export const errorCodes: Pick<
  typeof LSPErrorCodes,
  "RequestCancelled" | "ContentModified" | "ServerCancelled"
> = { RequestCancelled: -32800, ContentModified: -32801, ServerCancelled: -32802 };

export const syncKinds: Pick<typeof TextDocumentSyncKind, "None" | "Full" | "Incremental"> = {
  None: 0,
  Full: 1,
  Incremental: 2,
};

export const fileChangeTypes: Pick<typeof FileChangeType, "Created" | "Changed" | "Deleted"> = {
  Created: 1,
  Changed: 2,
  Deleted: 3,
};

/** Bits: a watcher may want several. */
export const watchKinds: Pick<typeof WatchKind, "Create" | "Change" | "Delete"> = {
  Create: 1,
  Change: 2,
  Delete: 4,
};
