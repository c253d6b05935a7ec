/** Notifications of the LSP specification that a tool may send, and messages that only the proxy itself sends. */
import type * as lsp from "vscode-languageserver-protocol";

/** The notifications that the proxy itself sends, with their parameters. */
interface NotificationParams {
  initialized: lsp.InitializedParams;
  "textDocument/didChange": lsp.DidChangeTextDocumentParams;
  "textDocument/didClose": lsp.DidCloseTextDocumentParams;
  "textDocument/didOpen": lsp.DidOpenTextDocumentParams;
  "textDocument/didSave": lsp.DidSaveTextDocumentParams;
  "workspace/didChangeConfiguration": lsp.DidChangeConfigurationParams;
  "workspace/didChangeWatchedFiles": lsp.DidChangeWatchedFilesParams;
  "workspace/didChangeWorkspaceFolders": lsp.DidChangeWorkspaceFoldersParams;
  "workspace/didCreateFiles": FileOperationParams;
  "workspace/didDeleteFiles": FileOperationParams;
  "workspace/didRenameFiles": FileOperationParams;
}

/** The files of one operation: all are created, all are renamed or all are deleted. */
export interface FileOperationParams {
  files: (lsp.FileCreate | lsp.FileRename | lsp.FileDelete)[];
}

/** Sends a notification of the proxy itself. */
export type Notify = <M extends keyof NotificationParams>(method: M, params: NotificationParams[M]) => void;

/** A tool may send these without declaring them. */
export const notifications: readonly string[] = ["$/setTrace", "workspace/didChangeConfiguration"];

/** Lifecycle, documents and files: a tool that sent them would break the proxy's own picture of the server. */
const reserved =
  /^(?:initialized?|shutdown|exit|\$\/(?:cancelRequest|progress)|window\/workDoneProgress\/.*|(?:textDocument|notebookDocument)\/(?:did|willSave).*|workspace\/did(?!ChangeConfiguration$).*)$/;

export function isReserved(method: string): boolean {
  return reserved.test(method);
}
