/**
 * The requests of LSP 3.17 that a tool may send (those new in 3.18 are not offered): the server capability that
 * announces each, and the feature it belongs to. The compiler checks the names against vscode-languageserver-protocol,
 * a test checks the capabilities.
 */
import type * as lsp from "vscode-languageserver-protocol";

interface MethodFacts {
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
  /** The answer has places of a name that may be in any project of the workspace. */
  isWide?: true;
  /** The same method for a range. It is sent if the call gives a range or the server offers nothing else. */
  ranged?: string;
  /** The parameter that is an identifier. */
  named?: string;
  /** The answer about a whole document can be filtered by range, for servers without the `ranged` method. */
  isNarrowed?: true;
}

type MethodOf<T> = T extends { method: infer M extends string } ? M : never;
/** Method names that the protocol package declares. */
export type LspMethod = MethodOf<(typeof lsp)[keyof typeof lsp]>;

/** Capability, feature, and what differs from a method that is registered under its own name at one server. */
type Row = readonly [capability: string, feature: string, more?: Partial<MethodFacts>];

const under = (registration: LspMethod) => ({ registration });
const callHierarchy = under("textDocument/prepareCallHierarchy");
const typeHierarchy = under("textDocument/prepareTypeHierarchy");
const semanticTokens = { registration: "textDocument/semanticTokens" };
const all = { merge: "all" } as const;
const exact = { exact: true } as const;
const declares = { declares: true } as const;
const wide = { isWide: true } as const;

const table: { readonly [method in LspMethod]?: Row } = {
  "callHierarchy/incomingCalls": ["callHierarchyProvider", "call_hierarchy", callHierarchy],
  "callHierarchy/outgoingCalls": ["callHierarchyProvider", "call_hierarchy", callHierarchy],
  "codeAction/resolve": [
    "codeActionProvider.resolveProvider",
    "code_action",
    under("textDocument/codeAction"),
  ],
  "codeLens/resolve": ["codeLensProvider.resolveProvider", "code_lens", under("textDocument/codeLens")],
  "completionItem/resolve": [
    "completionProvider.resolveProvider",
    "completion",
    under("textDocument/completion"),
  ],
  "documentLink/resolve": [
    "documentLinkProvider.resolveProvider",
    "document_link",
    under("textDocument/documentLink"),
  ],
  "inlayHint/resolve": ["inlayHintProvider.resolveProvider", "inlay_hint", under("textDocument/inlayHint")],
  "textDocument/codeAction": ["codeActionProvider", "code_action", all],
  "textDocument/codeLens": ["codeLensProvider", "code_lens", all],
  "textDocument/colorPresentation": ["colorProvider", "color", under("textDocument/documentColor")],
  "textDocument/completion": ["completionProvider", "completion", exact],
  "textDocument/declaration": ["declarationProvider", "declaration", declares],
  "textDocument/definition": ["definitionProvider", "definition", declares],
  "textDocument/diagnostic": ["diagnosticProvider", "diagnostics", all],
  "textDocument/documentColor": ["colorProvider", "color"],
  "textDocument/documentHighlight": ["documentHighlightProvider", "document_highlight"],
  "textDocument/documentLink": ["documentLinkProvider", "document_link"],
  "textDocument/documentSymbol": ["documentSymbolProvider", "document_symbol"],
  "textDocument/foldingRange": ["foldingRangeProvider", "folding_range"],
  "textDocument/formatting": [
    "documentFormattingProvider",
    "formatting",
    { ranged: "textDocument/rangeFormatting" },
  ],
  "textDocument/hover": ["hoverProvider", "hover"],
  "textDocument/implementation": ["implementationProvider", "implementation", wide],
  "textDocument/inlayHint": ["inlayHintProvider", "inlay_hint"],
  "textDocument/inlineValue": ["inlineValueProvider", "inline_value", exact],
  "textDocument/linkedEditingRange": ["linkedEditingRangeProvider", "linked_editing_range", exact],
  "textDocument/moniker": ["monikerProvider", "moniker"],
  "textDocument/onTypeFormatting": ["documentOnTypeFormattingProvider", "formatting", exact],
  "textDocument/prepareCallHierarchy": ["callHierarchyProvider", "call_hierarchy", wide],
  "textDocument/prepareRename": ["renameProvider.prepareProvider", "rename", under("textDocument/rename")],
  "textDocument/prepareTypeHierarchy": ["typeHierarchyProvider", "type_hierarchy", wide],
  "textDocument/rangeFormatting": ["documentRangeFormattingProvider", "formatting"],
  "textDocument/references": ["referencesProvider", "references", wide],
  "textDocument/rename": ["renameProvider", "rename", { ...wide, named: "newName" }],
  "textDocument/selectionRange": ["selectionRangeProvider", "selection_range", exact],
  "textDocument/semanticTokens/full": [
    "semanticTokensProvider.full",
    "semantic_tokens",
    { ...semanticTokens, ranged: "textDocument/semanticTokens/range", isNarrowed: true },
  ],
  "textDocument/semanticTokens/range": ["semanticTokensProvider.range", "semantic_tokens", semanticTokens],
  "textDocument/signatureHelp": ["signatureHelpProvider", "signature_help", exact],
  "textDocument/typeDefinition": ["typeDefinitionProvider", "type_definition"],
  "typeHierarchy/subtypes": ["typeHierarchyProvider", "type_hierarchy", typeHierarchy],
  "typeHierarchy/supertypes": ["typeHierarchyProvider", "type_hierarchy", typeHierarchy],
  "workspace/diagnostic": [
    "diagnosticProvider.workspaceDiagnostics",
    "diagnostics",
    { registration: "textDocument/diagnostic", merge: "all" },
  ],
  "workspace/executeCommand": ["executeCommandProvider", "execute_command"],
  "workspace/symbol": ["workspaceSymbolProvider", "workspace_symbol", { ...all, ...wide }],
  "workspace/willCreateFiles": ["workspace.fileOperations.willCreate", "file_operations"],
  "workspace/willDeleteFiles": ["workspace.fileOperations.willDelete", "file_operations"],
  "workspace/willRenameFiles": ["workspace.fileOperations.willRename", "file_operations"],
  "workspaceSymbol/resolve": [
    "workspaceSymbolProvider.resolveProvider",
    "workspace_symbol",
    under("workspace/symbol"),
  ],
};

export const methods: { readonly [method: string]: MethodFacts } = Object.fromEntries(
  Object.entries<Row>(table).map(([method, [capability, feature, more]]) => [
    method,
    { capability, feature, registration: method, merge: "first", ...more },
  ]),
);

export const methodNames: readonly string[] = Object.keys(methods);

/** Methods that only read. Of a method outside the specification that is not known. */
export const readMethods: ReadonlySet<string> = new Set(
  methodNames.filter((method) => method !== "workspace/executeCommand"),
);

/** Methods whose answers depend on the text of one file only: indexing does not change them. */
export const singleFileMethods: ReadonlySet<string> = new Set([
  "textDocument/documentSymbol",
  "textDocument/foldingRange",
  "textDocument/selectionRange",
  "textDocument/documentLink",
  "textDocument/formatting",
  "textDocument/rangeFormatting",
  "textDocument/onTypeFormatting",
  "textDocument/linkedEditingRange",
]);

/** The features that a server's `features.only` and `features.except` may name. */
export const featureNames: readonly string[] = [
  ...new Set(Object.values(methods).map((facts) => facts.feature)),
];

/** Whether two servers have a feature in common, by the `features` of their plans. */
export function shareFeatures(...servers: readonly [Features, Features]): boolean {
  return featureNames.some((feature) => servers.every((server) => hasFeature(server, feature)));
}

interface Features {
  features: { only: readonly string[] | null; except: readonly string[] };
}

function hasFeature({ features: { only, except } }: Features, feature: string): boolean {
  return only === null ? !except.includes(feature) : only.includes(feature);
}
