/** The client capabilities sent to every server: only what this client really does. */
import type { ClientCapabilities, CompletionItemKind, SymbolKind } from "vscode-languageserver-protocol";
import type { Effect } from "../../abi/plan.js";
import { type JsonObject, laidOver } from "../../base/json.js";

const registered = { dynamicRegistration: true };
const linked = { dynamicRegistration: true, linkSupport: true };
const refreshed = { refreshSupport: true };
/** Every kind of the protocol: 1 to `last`. */
const kindsUpTo = <Kind extends number>(last: Kind): Kind[] =>
  Array.from({ length: last }, (_, index) => (index + 1) as Kind);
const symbolKind = { valueSet: kindsUpTo<SymbolKind>(26) };
const prose: ("markdown" | "plaintext")[] = ["markdown", "plaintext"];

const workspace: ClientCapabilities["workspace"] = {
  workspaceEdit: {
    documentChanges: true,
    resourceOperations: ["create", "rename", "delete"],
    failureHandling: "abort",
    normalizesLineEndings: true,
    changeAnnotationSupport: { groupsOnLabel: false },
  },
  didChangeConfiguration: registered,
  didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
  symbol: {
    dynamicRegistration: true,
    symbolKind,
    tagSupport: { valueSet: [1] },
    resolveSupport: { properties: ["location.range"] },
  },
  executeCommand: registered,
  workspaceFolders: true,
  configuration: true,
  codeLens: refreshed,
  semanticTokens: refreshed,
  inlayHint: refreshed,
  inlineValue: refreshed,
  diagnostics: refreshed,
  foldingRange: refreshed,
};

const textDocument: ClientCapabilities["textDocument"] = {
  synchronization: { dynamicRegistration: true, didSave: true },
  publishDiagnostics: {
    relatedInformation: true,
    tagSupport: { valueSet: [1, 2] },
    versionSupport: true,
    codeDescriptionSupport: true,
    dataSupport: true,
  },
  diagnostic: { dynamicRegistration: true, relatedDocumentSupport: true },
  hover: { dynamicRegistration: true, contentFormat: prose },
  definition: linked,
  declaration: linked,
  typeDefinition: linked,
  implementation: linked,
  references: registered,
  documentHighlight: registered,
  documentSymbol: {
    dynamicRegistration: true,
    hierarchicalDocumentSymbolSupport: true,
    symbolKind,
    tagSupport: { valueSet: [1] },
    labelSupport: false,
  },
  completion: {
    dynamicRegistration: true,
    contextSupport: true,
    completionItem: {
      snippetSupport: false,
      documentationFormat: prose,
      deprecatedSupport: true,
      tagSupport: { valueSet: [1] },
      labelDetailsSupport: true,
      resolveSupport: { properties: ["documentation", "detail"] },
    },
    completionItemKind: { valueSet: kindsUpTo<CompletionItemKind>(25) },
  },
  signatureHelp: {
    dynamicRegistration: true,
    contextSupport: true,
    signatureInformation: {
      documentationFormat: prose,
      parameterInformation: { labelOffsetSupport: true },
      activeParameterSupport: true,
    },
  },
  codeAction: {
    dynamicRegistration: true,
    isPreferredSupport: true,
    disabledSupport: true,
    dataSupport: true,
    honorsChangeAnnotations: true,
    resolveSupport: { properties: ["edit"] },
    codeActionLiteralSupport: {
      codeActionKind: {
        valueSet: [
          "",
          "quickfix",
          "refactor",
          "refactor.extract",
          "refactor.inline",
          "refactor.rewrite",
          "source",
          "source.organizeImports",
          "source.fixAll",
        ],
      },
    },
  },
  codeLens: registered,
  documentLink: { dynamicRegistration: true, tooltipSupport: true },
  colorProvider: registered,
  formatting: registered,
  rangeFormatting: registered,
  onTypeFormatting: registered,
  rename: {
    dynamicRegistration: true,
    prepareSupport: true,
    prepareSupportDefaultBehavior: 1,
    honorsChangeAnnotations: true,
  },
  foldingRange: { dynamicRegistration: true, lineFoldingOnly: false },
  selectionRange: registered,
  linkedEditingRange: registered,
  callHierarchy: registered,
  typeHierarchy: registered,
  moniker: registered,
  inlayHint: { dynamicRegistration: true, resolveSupport: { properties: ["tooltip", "label.tooltip"] } },
  inlineValue: registered,
  semanticTokens: {
    dynamicRegistration: true,
    requests: { range: true, full: { delta: false } },
    tokenTypes:
      "namespace type class enum interface struct typeParameter parameter variable property enumMember event function method macro keyword modifier comment string number regexp operator decorator".split(
        " ",
      ),
    tokenModifiers:
      "declaration definition readonly static deprecated abstract async modification documentation defaultLibrary".split(
        " ",
      ),
    formats: ["relative"],
    overlappingTokenSupport: true,
    multilineTokenSupport: true,
  },
};

const fileOperations: NonNullable<ClientCapabilities["workspace"]>["fileOperations"] = {
  dynamicRegistration: true,
  willCreate: true,
  didCreate: true,
  willRename: true,
  didRename: true,
  willDelete: true,
  didDelete: true,
};

/** The capabilities that the allowed effects permit, with the plan's own laid over them. */
export function clientCapabilities(overlay: JsonObject, effects: readonly Effect[]): ClientCapabilities {
  const edits = effects.includes("edit");
  const own: ClientCapabilities = {
    workspace: {
      ...workspace,
      // A server's own edits are applied only during a command of ours.
      applyEdit: edits && effects.includes("command"),
      ...(edits ? { fileOperations } : {}),
    },
    textDocument,
    window: {
      workDoneProgress: true,
      showMessage: { messageActionItem: { additionalPropertiesSupport: false } },
      showDocument: { support: false },
    },
    general: {
      positionEncodings: ["utf-8", "utf-16"],
      staleRequestSupport: { cancel: true, retryOnContentModified: [] },
      markdown: { parser: "commonmark" },
    },
  };
  return laidOver(own as JsonObject, overlay);
}
