import { expect, it } from "vitest";
import {
  FileChangeType,
  LSPErrorCodes,
  TextDocumentSyncKind,
  WatchKind,
} from "vscode-languageserver-protocol";
import { errorCodes, fileChangeTypes, syncKinds, watchKinds } from "../../src/protocol/lsp-constants.js";

it("the numbers of LSP are those of the protocol's package", () => {
  expect(LSPErrorCodes).toMatchObject(errorCodes);
  expect(TextDocumentSyncKind).toMatchObject(syncKinds);
  expect(FileChangeType).toMatchObject(fileChangeTypes);
  expect(WatchKind).toMatchObject(watchKinds);
});
