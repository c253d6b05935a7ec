/**
 * The requests of LSP 3.17 that a tool may send: the capability that promises each, the name under which a client
 * registration may bring it later, and the feature it belongs to. A test holds this table against the protocol package.
 */

export interface MethodFacts {
  /** Dotted path in the server's capabilities. */
  capability: string;
  /** The method of `client/registerCapability` that offers it, where that differs. */
  registration: string;
  /** The name used in a server's `features`. */
  feature: string;
  /** Whether one server's answer is enough or all servers of a file are asked. */
  merge: "first" | "all";
  /** Asks about the very place, not about the symbol there: a place beside it is another question. */
  exact?: true;
  /** Answers with the place where the name of the symbol stands. */
  declares?: true;
  /** The method that does the same for a range: asked instead when the call names one, or the server has only it. */
  ranged?: string;
  /** The parameter that is one name: without white space. */
  named?: string;
  /** What is told of the whole document can be narrowed to a range, for servers that have no other method. */
  isNarrowed?: true;
}

export const methods: { readonly [method: string]: MethodFacts } = {
  "callHierarchy/incomingCalls": {
    capability: "callHierarchyProvider",
    registration: "textDocument/prepareCallHierarchy",
    feature: "call_hierarchy",
    merge: "first",
  },
  "callHierarchy/outgoingCalls": {
    capability: "callHierarchyProvider",
    registration: "textDocument/prepareCallHierarchy",
    feature: "call_hierarchy",
    merge: "first",
  },
  "codeAction/resolve": {
    capability: "codeActionProvider.resolveProvider",
    registration: "textDocument/codeAction",
    feature: "code_action",
    merge: "first",
  },
  "codeLens/resolve": {
    capability: "codeLensProvider.resolveProvider",
    registration: "textDocument/codeLens",
    feature: "code_lens",
    merge: "first",
  },
  "completionItem/resolve": {
    capability: "completionProvider.resolveProvider",
    registration: "textDocument/completion",
    feature: "completion",
    merge: "first",
  },
  "documentLink/resolve": {
    capability: "documentLinkProvider.resolveProvider",
    registration: "textDocument/documentLink",
    feature: "document_link",
    merge: "first",
  },
  "inlayHint/resolve": {
    capability: "inlayHintProvider.resolveProvider",
    registration: "textDocument/inlayHint",
    feature: "inlay_hint",
    merge: "first",
  },
  "textDocument/codeAction": {
    capability: "codeActionProvider",
    registration: "textDocument/codeAction",
    feature: "code_action",
    merge: "all",
  },
  "textDocument/codeLens": {
    capability: "codeLensProvider",
    registration: "textDocument/codeLens",
    feature: "code_lens",
    merge: "all",
  },
  "textDocument/colorPresentation": {
    capability: "colorProvider",
    registration: "textDocument/documentColor",
    feature: "color",
    merge: "first",
  },
  "textDocument/completion": {
    capability: "completionProvider",
    registration: "textDocument/completion",
    feature: "completion",
    merge: "first",
    exact: true,
  },
  "textDocument/declaration": {
    capability: "declarationProvider",
    registration: "textDocument/declaration",
    feature: "declaration",
    merge: "first",
    declares: true,
  },
  "textDocument/definition": {
    capability: "definitionProvider",
    registration: "textDocument/definition",
    feature: "definition",
    merge: "first",
    declares: true,
  },
  "textDocument/diagnostic": {
    capability: "diagnosticProvider",
    registration: "textDocument/diagnostic",
    feature: "diagnostics",
    merge: "all",
  },
  "textDocument/documentColor": {
    capability: "colorProvider",
    registration: "textDocument/documentColor",
    feature: "color",
    merge: "first",
  },
  "textDocument/documentHighlight": {
    capability: "documentHighlightProvider",
    registration: "textDocument/documentHighlight",
    feature: "document_highlight",
    merge: "first",
  },
  "textDocument/documentLink": {
    capability: "documentLinkProvider",
    registration: "textDocument/documentLink",
    feature: "document_link",
    merge: "first",
  },
  "textDocument/documentSymbol": {
    capability: "documentSymbolProvider",
    registration: "textDocument/documentSymbol",
    feature: "document_symbol",
    merge: "first",
  },
  "textDocument/foldingRange": {
    capability: "foldingRangeProvider",
    registration: "textDocument/foldingRange",
    feature: "folding_range",
    merge: "first",
  },
  "textDocument/formatting": {
    capability: "documentFormattingProvider",
    registration: "textDocument/formatting",
    feature: "formatting",
    merge: "first",
    ranged: "textDocument/rangeFormatting",
  },
  "textDocument/hover": {
    capability: "hoverProvider",
    registration: "textDocument/hover",
    feature: "hover",
    merge: "first",
  },
  "textDocument/implementation": {
    capability: "implementationProvider",
    registration: "textDocument/implementation",
    feature: "implementation",
    merge: "first",
  },
  "textDocument/inlayHint": {
    capability: "inlayHintProvider",
    registration: "textDocument/inlayHint",
    feature: "inlay_hint",
    merge: "first",
  },
  "textDocument/inlineValue": {
    capability: "inlineValueProvider",
    registration: "textDocument/inlineValue",
    feature: "inline_value",
    merge: "first",
    exact: true,
  },
  "textDocument/linkedEditingRange": {
    capability: "linkedEditingRangeProvider",
    registration: "textDocument/linkedEditingRange",
    feature: "linked_editing_range",
    merge: "first",
    exact: true,
  },
  "textDocument/moniker": {
    capability: "monikerProvider",
    registration: "textDocument/moniker",
    feature: "moniker",
    merge: "first",
  },
  "textDocument/onTypeFormatting": {
    capability: "documentOnTypeFormattingProvider",
    registration: "textDocument/onTypeFormatting",
    feature: "formatting",
    merge: "first",
    exact: true,
  },
  "textDocument/prepareCallHierarchy": {
    capability: "callHierarchyProvider",
    registration: "textDocument/prepareCallHierarchy",
    feature: "call_hierarchy",
    merge: "first",
  },
  "textDocument/prepareRename": {
    capability: "renameProvider.prepareProvider",
    registration: "textDocument/rename",
    feature: "rename",
    merge: "first",
  },
  "textDocument/prepareTypeHierarchy": {
    capability: "typeHierarchyProvider",
    registration: "textDocument/prepareTypeHierarchy",
    feature: "type_hierarchy",
    merge: "first",
  },
  "textDocument/rangeFormatting": {
    capability: "documentRangeFormattingProvider",
    registration: "textDocument/rangeFormatting",
    feature: "formatting",
    merge: "first",
  },
  "textDocument/references": {
    capability: "referencesProvider",
    registration: "textDocument/references",
    feature: "references",
    merge: "first",
  },
  "textDocument/rename": {
    capability: "renameProvider",
    registration: "textDocument/rename",
    feature: "rename",
    merge: "first",
    named: "newName",
  },
  "textDocument/selectionRange": {
    capability: "selectionRangeProvider",
    registration: "textDocument/selectionRange",
    feature: "selection_range",
    merge: "first",
    exact: true,
  },
  "textDocument/semanticTokens/full": {
    capability: "semanticTokensProvider.full",
    registration: "textDocument/semanticTokens",
    feature: "semantic_tokens",
    merge: "first",
    ranged: "textDocument/semanticTokens/range",
    isNarrowed: true,
  },
  "textDocument/semanticTokens/range": {
    capability: "semanticTokensProvider.range",
    registration: "textDocument/semanticTokens",
    feature: "semantic_tokens",
    merge: "first",
  },
  "textDocument/signatureHelp": {
    capability: "signatureHelpProvider",
    registration: "textDocument/signatureHelp",
    feature: "signature_help",
    merge: "first",
    exact: true,
  },
  "textDocument/typeDefinition": {
    capability: "typeDefinitionProvider",
    registration: "textDocument/typeDefinition",
    feature: "type_definition",
    merge: "first",
  },
  "typeHierarchy/subtypes": {
    capability: "typeHierarchyProvider",
    registration: "textDocument/prepareTypeHierarchy",
    feature: "type_hierarchy",
    merge: "first",
  },
  "typeHierarchy/supertypes": {
    capability: "typeHierarchyProvider",
    registration: "textDocument/prepareTypeHierarchy",
    feature: "type_hierarchy",
    merge: "first",
  },
  "workspace/diagnostic": {
    capability: "diagnosticProvider.workspaceDiagnostics",
    registration: "textDocument/diagnostic",
    feature: "diagnostics",
    merge: "all",
  },
  "workspace/executeCommand": {
    capability: "executeCommandProvider",
    registration: "workspace/executeCommand",
    feature: "execute_command",
    merge: "first",
  },
  "workspace/symbol": {
    capability: "workspaceSymbolProvider",
    registration: "workspace/symbol",
    feature: "workspace_symbol",
    merge: "all",
  },
  "workspace/willCreateFiles": {
    capability: "workspace.fileOperations.willCreate",
    registration: "workspace/willCreateFiles",
    feature: "file_operations",
    merge: "first",
  },
  "workspace/willDeleteFiles": {
    capability: "workspace.fileOperations.willDelete",
    registration: "workspace/willDeleteFiles",
    feature: "file_operations",
    merge: "first",
  },
  "workspace/willRenameFiles": {
    capability: "workspace.fileOperations.willRename",
    registration: "workspace/willRenameFiles",
    feature: "file_operations",
    merge: "first",
  },
  "workspaceSymbol/resolve": {
    capability: "workspaceSymbolProvider.resolveProvider",
    registration: "workspace/symbol",
    feature: "workspace_symbol",
    merge: "first",
  },
};

export const methodNames: readonly string[] = Object.keys(methods);

/** The features that a server's `features.only` and `features.except` may name. */
export const featureNames: readonly string[] = [
  ...new Set(Object.values(methods).map((facts) => facts.feature)),
];
