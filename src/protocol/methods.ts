/**
 * The requests of LSP 3.17 that a tool may send: the server capability that announces each, and the feature it belongs
 * to. The compiler checks the names against vscode-languageserver-protocol, a test checks the capabilities.
 */
import type * as lsp from "vscode-languageserver-protocol";

export interface MethodFacts {
  /** Dotted path in the server's capabilities. */
  capability: string;
  /** The method under which `client/registerCapability` announces it. */
  registration: string;
  /** The name used in a server's `features`. */
  feature: string;
  /** Ask one server, or all servers of the file. */
  merge: "first" | "all";
  /** The question is about the exact position, so a position next to it is never tried instead. */
  exact?: true;
  /** The answer is the location of the symbol's name. */
  declares?: true;
  /** The same method for a range. It is sent if the call gives a range or the server offers nothing else. */
  ranged?: string;
  /** The parameter that is an identifier: it may contain no white space. */
  named?: string;
  /** The answer about a whole document can be filtered by range, for servers without the `ranged` method. */
  isNarrowed?: true;
}

/** Method names that the protocol package declares. */
type MethodOf<T> = T extends { method: infer M extends string } ? M : never;
type LspMethod = MethodOf<(typeof lsp)[keyof typeof lsp]>;

type Row = Omit<MethodFacts, "registration" | "merge"> & Partial<MethodFacts>;

/** By default a method is registered under its own name, and one server is asked. */
const table: { readonly [method in LspMethod]?: Row } = {
  "callHierarchy/incomingCalls": {
    capability: "callHierarchyProvider",
    feature: "call_hierarchy",
    registration: "textDocument/prepareCallHierarchy",
  },
  "callHierarchy/outgoingCalls": {
    capability: "callHierarchyProvider",
    feature: "call_hierarchy",
    registration: "textDocument/prepareCallHierarchy",
  },
  "codeAction/resolve": {
    capability: "codeActionProvider.resolveProvider",
    feature: "code_action",
    registration: "textDocument/codeAction",
  },
  "codeLens/resolve": {
    capability: "codeLensProvider.resolveProvider",
    feature: "code_lens",
    registration: "textDocument/codeLens",
  },
  "completionItem/resolve": {
    capability: "completionProvider.resolveProvider",
    feature: "completion",
    registration: "textDocument/completion",
  },
  "documentLink/resolve": {
    capability: "documentLinkProvider.resolveProvider",
    feature: "document_link",
    registration: "textDocument/documentLink",
  },
  "inlayHint/resolve": {
    capability: "inlayHintProvider.resolveProvider",
    feature: "inlay_hint",
    registration: "textDocument/inlayHint",
  },
  "textDocument/codeAction": { capability: "codeActionProvider", feature: "code_action", merge: "all" },
  "textDocument/codeLens": { capability: "codeLensProvider", feature: "code_lens", merge: "all" },
  "textDocument/colorPresentation": {
    capability: "colorProvider",
    feature: "color",
    registration: "textDocument/documentColor",
  },
  "textDocument/completion": { capability: "completionProvider", feature: "completion", exact: true },
  "textDocument/declaration": { capability: "declarationProvider", feature: "declaration", declares: true },
  "textDocument/definition": { capability: "definitionProvider", feature: "definition", declares: true },
  "textDocument/diagnostic": { capability: "diagnosticProvider", feature: "diagnostics", merge: "all" },
  "textDocument/documentColor": { capability: "colorProvider", feature: "color" },
  "textDocument/documentHighlight": {
    capability: "documentHighlightProvider",
    feature: "document_highlight",
  },
  "textDocument/documentLink": { capability: "documentLinkProvider", feature: "document_link" },
  "textDocument/documentSymbol": { capability: "documentSymbolProvider", feature: "document_symbol" },
  "textDocument/foldingRange": { capability: "foldingRangeProvider", feature: "folding_range" },
  "textDocument/formatting": {
    capability: "documentFormattingProvider",
    feature: "formatting",
    ranged: "textDocument/rangeFormatting",
  },
  "textDocument/hover": { capability: "hoverProvider", feature: "hover" },
  "textDocument/implementation": { capability: "implementationProvider", feature: "implementation" },
  "textDocument/inlayHint": { capability: "inlayHintProvider", feature: "inlay_hint" },
  "textDocument/inlineValue": { capability: "inlineValueProvider", feature: "inline_value", exact: true },
  "textDocument/linkedEditingRange": {
    capability: "linkedEditingRangeProvider",
    feature: "linked_editing_range",
    exact: true,
  },
  "textDocument/moniker": { capability: "monikerProvider", feature: "moniker" },
  "textDocument/onTypeFormatting": {
    capability: "documentOnTypeFormattingProvider",
    feature: "formatting",
    exact: true,
  },
  "textDocument/prepareCallHierarchy": { capability: "callHierarchyProvider", feature: "call_hierarchy" },
  "textDocument/prepareRename": {
    capability: "renameProvider.prepareProvider",
    feature: "rename",
    registration: "textDocument/rename",
  },
  "textDocument/prepareTypeHierarchy": { capability: "typeHierarchyProvider", feature: "type_hierarchy" },
  "textDocument/rangeFormatting": { capability: "documentRangeFormattingProvider", feature: "formatting" },
  "textDocument/references": { capability: "referencesProvider", feature: "references" },
  "textDocument/rename": { capability: "renameProvider", feature: "rename", named: "newName" },
  "textDocument/selectionRange": {
    capability: "selectionRangeProvider",
    feature: "selection_range",
    exact: true,
  },
  "textDocument/semanticTokens/full": {
    capability: "semanticTokensProvider.full",
    feature: "semantic_tokens",
    registration: "textDocument/semanticTokens",
    ranged: "textDocument/semanticTokens/range",
    isNarrowed: true,
  },
  "textDocument/semanticTokens/range": {
    capability: "semanticTokensProvider.range",
    feature: "semantic_tokens",
    registration: "textDocument/semanticTokens",
  },
  "textDocument/signatureHelp": {
    capability: "signatureHelpProvider",
    feature: "signature_help",
    exact: true,
  },
  "textDocument/typeDefinition": { capability: "typeDefinitionProvider", feature: "type_definition" },
  "typeHierarchy/subtypes": {
    capability: "typeHierarchyProvider",
    feature: "type_hierarchy",
    registration: "textDocument/prepareTypeHierarchy",
  },
  "typeHierarchy/supertypes": {
    capability: "typeHierarchyProvider",
    feature: "type_hierarchy",
    registration: "textDocument/prepareTypeHierarchy",
  },
  "workspace/diagnostic": {
    capability: "diagnosticProvider.workspaceDiagnostics",
    feature: "diagnostics",
    registration: "textDocument/diagnostic",
    merge: "all",
  },
  "workspace/executeCommand": { capability: "executeCommandProvider", feature: "execute_command" },
  "workspace/symbol": { capability: "workspaceSymbolProvider", feature: "workspace_symbol", merge: "all" },
  "workspace/willCreateFiles": {
    capability: "workspace.fileOperations.willCreate",
    feature: "file_operations",
  },
  "workspace/willDeleteFiles": {
    capability: "workspace.fileOperations.willDelete",
    feature: "file_operations",
  },
  "workspace/willRenameFiles": {
    capability: "workspace.fileOperations.willRename",
    feature: "file_operations",
  },
  "workspaceSymbol/resolve": {
    capability: "workspaceSymbolProvider.resolveProvider",
    feature: "workspace_symbol",
    registration: "workspace/symbol",
  },
};

export const methods: { readonly [method: string]: MethodFacts } = Object.fromEntries(
  Object.entries(table).map(([method, row]) => [method, { registration: method, merge: "first", ...row }]),
);

export const methodNames: readonly string[] = Object.keys(methods);

/** The features that a server's `features.only` and `features.except` may name. */
export const featureNames: readonly string[] = [
  ...new Set(Object.values(methods).map((facts) => facts.feature)),
];
