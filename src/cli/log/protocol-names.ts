/**
 * Field names that a trace may show: those of LSP 3.18, the further ones of MCP, and the further ones of this program's
 * own answers. Any other key may be user text (a path, a setting) and is masked.
 */

const lsp = `
  actions activeParameter activeParameterSupport activeSignature activeSignatureHelp added
  additionalPropertiesSupport additionalTextEdits allCommitCharacters allowedTags alpha annotationId applied
  applyEdit applyKind applyKindSupport arguments array augmentsSyntaxTokens baseUri blue callHierarchy
  callHierarchyProvider cancel cancellable capabilities caseSensitiveLookup cellTextDocuments cells ch
  change changeAnnotationSupport changeAnnotations changeNotifications changes character children client
  clientInfo code codeAction codeActionKind codeActionKinds codeActionLiteralSupport codeActionProvider
  codeDescription codeDescriptionSupport codeLens codeLensProvider collapsedText color colorProvider command
  commands commitCharacters commitCharactersSupport completion completionItem completionItemKind
  completionList completionProvider configuration containerName contentChanges contentFormat contents
  context contextSupport data dataSupport declaration declarationProvider defaultBehavior definition
  definitionProvider deleteCount delta deprecated deprecatedSupport description detail diagnostic
  diagnosticProvider diagnostics didChangeConfiguration didChangeWatchedFiles didClose didCreate didDelete
  didOpen didRename didSave disabled disabledSupport document documentChanges documentFormattingProvider
  documentHighlight documentHighlightProvider documentLink documentLinkProvider
  documentOnTypeFormattingProvider documentRangeFormattingProvider documentSelector documentSymbol
  documentSymbolProvider documentation documentationFormat documentationSupport dynamicRegistration edit
  editRange edits end endCharacter endLine engine event executeCommand executeCommandProvider executionOrder
  executionSummary executionSummarySupport experimental expression external failedChange failureHandling
  failureReason fileOperations files filterText filters firstTriggerCharacter foldingRange foldingRangeKind
  foldingRangeProvider formats formatting frameId from fromRanges full general glob globPattern green
  groupsOnLabel hierarchicalDocumentSymbolSupport honorsChangeAnnotations hover hoverProvider href id
  identifier ignoreCase ignoreIfExists ignoreIfNotExists implementation implementationProvider
  includeDeclaration includeText initializationOptions inlayHint inlayHintProvider inlineCompletion
  inlineCompletionProvider inlineValue inlineValueProvider insert insertFinalNewline insertReplaceSupport
  insertSpaces insertText insertTextFormat insertTextMode insertTextModeSupport interFileDependencies
  isIncomplete isPreferred isPreferredSupport isRefactoring isRetrigger item itemDefaults items kind label
  labelDetails labelDetailsSupport labelOffsetSupport labelSupport language languageId legend line lineCount
  lineFoldingOnly linkSupport linkedEditingRange linkedEditingRangeProvider locale location markdown
  markupMessageSupport matches message messageActionItem metadata metadataSupport method moniker
  monikerProvider moreTriggerCharacter multilineTokenSupport name needsConfirmation newName newText newUri
  noActiveParameterSupport normalizesLineEndings notebook notebookDocument notebookDocumentSync
  notebookSelector notebookType oldUri onTypeFormatting only openClose options originSelectionRange
  overlappingTokenSupport overwrite paddingLeft paddingRight parameterInformation parameters parent parser
  partialResultToken pattern percentage placeholder position positionEncoding positionEncodings positions
  prepareProvider prepareSupport prepareSupportDefaultBehavior preselect preselectSupport previousResultId
  previousResultIds processId properties publishDiagnostics query range rangeFormatting rangeLength
  rangeLimit ranges rangesSupport reason recursive red references referencesProvider refreshSupport
  registerOptions registrations regularExpressions relatedDocumentSupport relatedDocuments
  relatedInformation relativePatternSupport removed rename renameProvider replace requests resolveProvider
  resolveSupport resourceOperations resultId retriggerCharacters retriggerRequest retry
  retryOnContentModified rootPath rootUri save scheme schemes scopeUri section selectedCompletionInfo
  selection selectionRange selectionRangeProvider semanticTokens semanticTokensProvider server
  serverCancelSupport serverInfo settings severity showDocument showMessage signatureHelp
  signatureHelpProvider signatureInformation signatures snippet snippetEditSupport snippetSupport sortText
  source staleRequestSupport start startCharacter startLine stoppedLocation structure success support
  supported symbol symbolKind syncKind synchronization tabSize tagSupport tags takeFocus target targetRange
  targetSelectionRange targetUri text textContent textDocument textDocumentContent textDocumentSync textEdit
  textEditText textEdits title to token tokenModifiers tokenTypes tooltip tooltipSupport trace
  triggerCharacter triggerCharacters triggerKind trimFinalNewlines trimTrailingWhitespace type
  typeDefinition typeDefinitionProvider typeHierarchy typeHierarchyProvider unique unregisterations uri
  value valueSet variableName version versionSupport watchers willCreate willDelete willRename willSave
  willSaveWaitUntil window wordPattern workDoneProgress workDoneToken workspace workspaceDiagnostics
  workspaceEdit workspaceFolders workspaceSymbolProvider
`;

const mcp = `
  _meta annotations audience blob content cursor default destructiveHint enum error execution hasMore icons
  idempotentHint inputSchema instructions isError jsonrpc level list listChanged logger logging maxItems
  maxLength maximum messages mimeType minItems minLength minimum mode model nextCursor oneOf openWorldHint
  outputSchema params progress progressToken prompts protocolVersion readOnlyHint requestId required
  resource resourceTemplates resources result role roots sampling size status structuredContent subscribe
  tasks tools total uriTemplate values
`;

const own = `
  active before_sha256 calls candidates container dropped dry_run end_character end_line features file_path
  include_declaration last_error last_used_ms locations locked max_results memory_mb needs_disambiguation
  new_name next_cursor next_steps not_watched ok open_documents operation other_roots page_size path
  pending_requests pid readiness restarts root schema_version sequence server_id servers sha256 shown sites
  state stderr symbol_kind symbol_name symbols tool truncated uptime_ms warnings why
`;

export const protocolNames: ReadonlySet<string> = new Set([lsp, mcp, own].join(" ").trim().split(/\s+/));
